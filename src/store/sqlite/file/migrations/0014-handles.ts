// Jobs are found by their names and by the ends of their ids.

export const handles = `
  -- As in the specification, for the index.
  alter table jobs add column name text;
  update jobs set name = json_extract(spec, '$.name');
  create index jobs_by_name on jobs (generation, name, key) where name is not null;
  -- The end of an id is by chance: of 100 000 jobs one or two have the same four characters there.
  create index jobs_by_end on jobs (substr(id, -4), key);
`;
