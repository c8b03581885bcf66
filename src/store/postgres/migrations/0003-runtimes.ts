// Versions of what runs the kinds of programs that a worker offers, and what it hands to tasks beside inputs in JSON, as
// it said at its last hello: an object, null when it did not say, and a list.

export const runtimes = `
  alter table workers add column runtimes text collate "C";
  alter table workers add column hands text collate "C" not null default '[]';
`;
