import { expect, test } from 'vitest'
import { hostileValues } from './test-hostile-bodies.ts'
import { listTrials, startTrialRunner, type Trial } from './test-hostile-trial.ts'

/** The number of trials per endpoint that run here; `npm run faults` runs all of them. */
const trialsOfEndpoint = 2

/** Selects trials of at most 100 KB: some of every endpoint, with the values used least so far, and each value once. */
function selectTrials(): Trial[] {
  const candidates = listTrials().filter(({ bytes }) => bytes <= 100 * 1024)
  const uses = new Map(hostileValues.map((value) => [value, 0]))
  const usesOf = ({ value }: Trial) => uses.get(value) ?? 0
  const take = (trials: Trial[]) => {
    const least = Math.min(...trials.map(usesOf))
    // The last place is the deepest: values that do not match the schema are rejected before.
    const trial = trials.findLast((trial) => usesOf(trial) === least) as Trial
    uses.set(trial.value, least + 1)
    return trial
  }
  const ofEndpoints = [...Map.groupBy(candidates, ({ name }) => name).values()]
  const selected = ofEndpoints.flatMap((trials) => Array.from({ length: trialsOfEndpoint }, () => take(trials)))
  const unused = hostileValues.filter((value) => uses.get(value) === 0)
  return [...selected, ...unused.map((value) => take(candidates.filter((trial) => trial.value === value)))]
}

test('no body costs more than its size', async () => {
  const trials = selectTrials()
  const names = (all: Trial[]) => new Set(all.map(({ name }) => name))
  expect(names(trials)).toEqual(names(listTrials()))
  expect(new Set(trials.map(({ value }) => value))).toEqual(new Set(hostileValues))
  const { attempt, service } = await startTrialRunner(3)
  const broken: string[] = []
  for (const trial of trials) broken.push(...(await attempt(trial)))
  expect(broken).toEqual([])
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
})
