import { expect, test } from 'vitest'
import { hostileValues } from './test-hostile-bodies.ts'
import { listTrials, startTrialRunner, type Trial } from './test-hostile-trial.ts'

/** The number of trials per endpoint in this file; `npm run faults` runs all of them. */
const trialsPerEndpoint = 2

/** Selects trials of at most 100 KB: some of every endpoint, with the least used values, and at least one per value. */
function selectTrials(): Trial[] {
  const candidates = listTrials().filter(({ bytes }) => bytes <= 100 * 1024)
  const uses = new Map(hostileValues.map((value) => [value, 0]))
  const usesOf = ({ value }: Trial) => uses.get(value) ?? 0
  const take = (trials: Trial[]) => {
    const least = Math.min(...trials.map(usesOf))
    // The last place is the deepest, where the value is reached only after others have been validated.
    const trial = trials.findLast((trial) => usesOf(trial) === least) as Trial
    uses.set(trial.value, least + 1)
    return trial
  }
  const byEndpoint = [...Map.groupBy(candidates, ({ name }) => name).values()]
  const selected = byEndpoint.flatMap((trials) => Array.from({ length: trialsPerEndpoint }, () => take(trials)))
  const unused = hostileValues.filter((value) => uses.get(value) === 0)
  return [...selected, ...unused.map((value) => take(candidates.filter((trial) => trial.value === value)))]
}

test('bodies of hostile values keep all bounds of cost and size', async () => {
  const trials = selectTrials()
  const collectNames = (all: Trial[]) => new Set(all.map(({ name }) => name))
  expect(collectNames(trials)).toEqual(collectNames(listTrials()))
  expect(new Set(trials.map(({ value }) => value))).toEqual(new Set(hostileValues))
  const { runTrial, service } = await startTrialRunner(3)
  const violations: string[] = []
  for (const trial of trials) violations.push(...(await runTrial(trial)))
  expect(violations).toEqual([])
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
})
