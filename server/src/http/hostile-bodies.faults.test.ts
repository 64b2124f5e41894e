import { expect, test } from 'vitest'
import { listTrials, startTrialRunner } from './test-hostile-trial.ts'

/** The whole set takes 10 to 25 minutes: `HOSTILE_MINUTES=30 npm run faults -- hostile` tries every one. */
const minutes = Number(process.env['HOSTILE_MINUTES'] ?? 2)

/** Shuffles the trials: each run tries another part of them. */
const shuffled = () =>
  listTrials()
    .map((trial) => ({ trial, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ trial }) => trial)

test(
  'no body costs more than its size, at 100 KB in any place and at the limit of its endpoint',
  async () => {
    const { attempt, service } = await startTrialRunner(30)
    const endAt = performance.now() + minutes * 60_000
    const trials = shuffled()
    const broken: string[] = []
    let tried = 0
    for (const trial of trials) {
      if (performance.now() > endAt) break
      broken.push(...(await attempt(trial)))
      tried++
    }
    console.log(`hostile bodies: ${tried} of ${trials.length} tried`)
    expect(broken).toEqual([])
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
  },
  (minutes + 5) * 60_000,
)
