// Rows for tests that fill a store by themselves, beside any coordinator: those of the conformance suite.

export {
  attemptRow,
  batch,
  completedRow,
  jobRow,
  startAt,
} from '../../src/store/conformance/rows.ts';
