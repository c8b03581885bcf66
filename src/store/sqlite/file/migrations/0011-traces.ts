// The stacks of errors and what attempts printed; there is none of attempts of before.

export const traces = `
  create table traces (
    task_key integer not null,
    attempt integer not null,
    stack text,
    output text,
    primary key (task_key, attempt)
  ) strict;
`;
