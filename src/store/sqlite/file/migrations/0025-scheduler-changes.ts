// Every configuration of the scheduler that was set, as JSON text, oldest first. The one that is in force when the
// table is made is the first.

export const schedulerChanges = `
  create table scheduler_changes (id integer primary key, config text not null) strict;
  insert into scheduler_changes (config) select config from meta where config is not null;
`;
