// The cluster as a resource, for the published document.

import { z } from 'zod';
import { count, exampleTime, timestamp } from './fields.ts';

const memberExample = {
  id: '01936b2e-8a51-7cc3-9d7e-0b4f6a1c2d30',
  url: 'https://coordinator-1.lan:8000',
  version: '0.1.0',
  is_leader: true,
  is_self: true,
  is_alive: true,
  seen_at: exampleTime,
  may_lead: true,
  workers: 12,
};

export const clusterMemberSchema = z
  .object({
    id: z.string().describe('Of the process; new with every start'),
    url: z.string().describe('By which the other members reach it'),
    version: z.string().describe('Of its program'),
    is_leader: z.boolean(),
    is_self: z.boolean().describe('The member that answers'),
    is_alive: z.boolean().describe('False: nothing was heard of it for five seconds'),
    seen_at: timestamp('When it was last heard of'),
    may_lead: z.boolean().describe('False: it never leads'),
    workers: count('Workers whose sockets are there'),
  })
  .meta({ examples: [memberExample] });

export const clusterSchema = z
  .object({
    role: z
      .enum(['joining', 'following', 'contending', 'leading', 'leaving'])
      .describe('Of the member that answers: the leader, while there is one'),
    leader: z.string().nullable().describe('Id of a member; null while nobody leads'),
    asked: z
      .string()
      .nullable()
      .describe(
        'Id of the member that was asked, and may have passed it on; null where an older one did',
      ),
    term: z
      .object({
        id: z.string(),
        epoch: count('Counts terms'),
        since: timestamp(),
        ended: z
          .string()
          .nullable()
          .describe('How it ended: `resigned`, `lonely`, …; null: it has not, or nobody knows'),
      })
      .describe('In which one and the same member leads'),
    sequence: count('Of the newest commit; 0 where commits are not counted'),
    members: z.array(clusterMemberSchema),
  })
  .meta({
    examples: [
      {
        role: 'leading',
        leader: memberExample.id,
        asked: memberExample.id,
        term: {
          id: '01936b2e-9f10-7d44-8a21-6c0d2e4f8b11',
          epoch: 7,
          since: exampleTime,
          ended: null,
        },
        sequence: 48213,
        members: [memberExample],
      },
    ],
  });
