// What is owed to each host, so that a host that owes its answers to many is passed by in one step.

export const notificationHosts = `
  create index notifications_by_host on notifications (host, next_at, id) where next_at is not null;
`;
