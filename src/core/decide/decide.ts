// Commands in, events out. Deciding reads the state and never writes to it; a rejection has no
// events. Fences (attempt number, token, worker) stand side by side in `attempts.ts`.

import type { Command } from '../commands.ts';
import type { State } from '../state.ts';
import { decideAssign, decideDeliver, decideRecall, decideSpeculate } from './assignments.ts';
import {
  decideCheckpoint,
  decideComplete,
  decideDropCheckpoint,
  decideFail,
  decideFailUnsent,
  decideRelease,
  decideProgress,
  decideStart,
} from './attempts.ts';
import { decideApprove, decideRefuse, decideRename } from './admission.ts';
import { decideHold, decideReleaseJob } from './hold.ts';
import { decideExpire } from './deadlines.ts';
import type { Decision } from './decision.ts';
import { decideCancel, decideClear, decideDelete, decideRetry, decideSubmit } from './jobs.ts';
import { decideSettleNotification } from './notifications.ts';
import { decideExpireJobs } from './retention.ts';
import { decideDrain, decideResume } from './drain.ts';
import {
  decideAttach,
  decideConnect,
  decideDeregister,
  decideDisconnect,
  decideHear,
  decideHeartbeat,
  decideLeave,
  decideRegister,
} from './workers.ts';

export function decide(state: State, command: Command): Decision {
  switch (command.type) {
    case 'complete':
      return decideComplete(state, command);
    case 'assign':
      return decideAssign(state, command);
    case 'start':
      return decideStart(state, command);
    case 'progress':
      return decideProgress(state, command);
    case 'fail':
      return decideFail(state, command);
    case 'fail_unsent':
      return decideFailUnsent(state, command);
    case 'release':
      return decideRelease(state, command);
    case 'save_checkpoint':
      return decideCheckpoint(state, command);
    case 'speculate':
      return decideSpeculate(state, command);
    case 'drop_checkpoint':
      return decideDropCheckpoint(state, command);
    case 'submit_job':
      return decideSubmit(state, command);
    case 'cancel_job':
      return decideCancel(state, command.jobId, command.at);
    case 'hold_job':
      return decideHold(state, command.jobId, command.at);
    case 'release_job':
      return decideReleaseJob(state, command.jobId, command.at);
    case 'retry_job':
      return decideRetry(state, command);
    case 'register_worker':
      return decideRegister(command);
    case 'connect_worker':
      return decideConnect(state, command);
    case 'disconnect_worker': {
      const { workerId, connectionId, isCut = false, at } = command;
      return decideDisconnect(state, workerId, connectionId, isCut, at);
    }
    case 'hear_worker':
      return decideHear(state, command.workerId, command.at);
    case 'heartbeat':
      return decideHeartbeat(state, command);
    case 'drain_worker':
      return decideDrain(state, command);
    case 'resume_worker':
      return decideResume(state, command.workerId, command.at);
    case 'approve_worker':
      return decideApprove(state, command.workerId, command.at);
    case 'refuse_worker':
      return decideRefuse(state, command.workerId, command.at);
    case 'rename_worker':
      return decideRename(state, command.workerId, command.name, command.at);
    case 'deregister_worker':
      return decideDeregister(state, command.workerId, command.at);
    case 'leave_worker':
      return decideLeave(state, command.workerId, command.at);
    case 'recall_attempts':
      return decideRecall(command.worker, command.at);
    case 'attach_worker':
      return decideAttach(state, command);
    case 'deliver_attempt':
      return decideDeliver(command.attempt, command.sequence, command.at);
    case 'delete_job':
      return decideDelete(state, command.jobId, command.at);
    case 'expire_jobs':
      return decideExpireJobs(state, command);
    case 'settle_notification':
      return decideSettleNotification(state, command);
    case 'configure': {
      const { config, at } = command;
      const before = state.config;
      return { events: [{ type: 'scheduler_configured', config, before, at }] };
    }
    case 'clear':
      return decideClear(state, command.at);
    case 'set_clock':
      return { events: [{ type: 'clock_set', byMs: command.byMs, at: command.at }] };
    case 'excuse_silence':
      return { events: [{ type: 'silence_excused', at: command.at }] };
    case 'expire':
      return decideExpire(state, command.at, command.chance);
  }
}
