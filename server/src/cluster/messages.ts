/** The variable with the place of a worker, from 1. */
export const placeVariable = 'PASSPORT_WORKER'

/** What the primary process sends to a worker. */
export type ToWorker =
  /** Stop without a failed request: another worker has taken the place. */
  | { type: 'hand-over' }
  /** Stop after serving requests for the time of `DRAIN_SECONDS`. */
  | { type: 'drain' }
  /** Stop now, also while draining. */
  | { type: 'stop' }
  /** Send the metrics, for another worker. */
  | { type: 'report-metrics'; request: string }
  /** The metrics of the other workers. */
  | { type: 'metrics-of-others'; request: string; all: object[][] }

/** What a worker sends to the primary process. */
export type ToPrimary =
  /** It accepts requests. The password is that of the demo users that it has created. */
  | { type: 'ready'; password: string | undefined }
  | { type: 'collect-metrics'; request: string }
  | { type: 'metrics'; request: string; own: object[] }
