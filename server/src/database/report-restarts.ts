import type { Log } from '../log.ts'
import type { RestartListener } from './keep-running.ts'

/** Logs the ends and restarts of the embedded PostgreSQL; calls `fail` if it cannot be restarted. */
export const createRestartListener = (log: Log, fail: () => void): RestartListener => ({
  onEnded: (details) => log.error(details, 'database-ended'),
  onRestarted: (seconds) => log.info({ seconds }, 'database-restarted'),
  onFailed: ({ message }) => log.error({ reason: message }, 'database-not-restarted'),
  onGiveUp: ({ message }) => {
    log.fatal({ reason: message }, 'The embedded PostgreSQL failed to restart. Passport is stopping.')
    fail()
  },
})
