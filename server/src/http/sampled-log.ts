import type { Log } from '../log.ts'

const windowMs = 10_000

/**
 * Creates a function that logs a warning, at most `lines` times in ten seconds: anyone can cause these warnings, and each
 * line would add load. The next line has the number of those omitted.
 */
export function createSampledLog(log: Log, message: string, lines: number): (details: object) => void {
  let since = Number.NEGATIVE_INFINITY
  let [written, omitted] = [0, 0]
  return (details) => {
    if (performance.now() - since >= windowMs) {
      since = performance.now()
      written = 0
    }
    if (written >= lines) {
      omitted++
      return
    }
    written++
    log.warn({ ...details, ...(omitted > 0 && { omitted }) }, message)
    omitted = 0
  }
}
