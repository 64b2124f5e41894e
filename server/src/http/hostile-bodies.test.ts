import { expect, test } from 'vitest'
import { hostileValues } from './hostile-bodies.ts'
import { allTrials, startLab, type Trial } from './hostile-trial.ts'

/** The number of trials per endpoint that run here; `npm run faults` runs all of them. */
const trialsOfEndpoint = 2

/** Selects trials of at most 100 KB, in rotation, so that every endpoint and every hostile value is included. */
function selectTrials(): Trial[] {
  const ofEndpoint = Map.groupBy(
    allTrials().filter(({ bytes }) => bytes <= 100 * 1024),
    ({ name }) => name,
  )
  let turn = 0
  return [...ofEndpoint.values()].flatMap((trials) =>
    Array.from({ length: trialsOfEndpoint }, () => {
      const offset = hostileValues.findIndex((_, index) =>
        trials.some(({ value }) => value === hostileValues[(turn + index) % hostileValues.length]),
      )
      const value = hostileValues[(turn + offset) % hostileValues.length]
      turn += offset + 1
      // The last place is the deepest: values that do not match the schema are rejected before.
      return trials.findLast((trial) => trial.value === value) as Trial
    }),
  )
}

test('no body costs more than its size', async () => {
  const trials = selectTrials()
  const names = (all: Trial[]) => new Set(all.map(({ name }) => name))
  expect(names(trials)).toEqual(names(allTrials()))
  expect(new Set(trials.map(({ value }) => value))).toEqual(new Set(hostileValues))
  const { attempt, service } = await startLab(3)
  const broken: string[] = []
  for (const trial of trials) broken.push(...(await attempt(trial)))
  expect(broken).toEqual([])
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
})
