// Versions of what runs the kinds of programs that a worker offers, and what it hands to tasks beside inputs in JSON, as
// it said at its last hello: an object and a list in JSON, null when it did not say.

export const runtimes = `
  alter table workers add column runtimes text;
  alter table workers add column hands text;
`;
