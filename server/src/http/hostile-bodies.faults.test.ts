import { expect, test } from 'vitest'
import { listTrials, startTrialRunner } from './test-hostile-trial.ts'

/** All trials take 10 to 25 minutes: `HOSTILE_MINUTES=30 npm run faults -- hostile` runs every one. */
const minutes = Number(process.env['HOSTILE_MINUTES'] ?? 2)

/** Lists the trials in random order, so that each run has another part of them. */
const shuffleTrials = () =>
  listTrials()
    .map((trial) => ({ trial, position: Math.random() }))
    .sort((a, b) => a.position - b.position)
    .map(({ trial }) => trial)

test(
  'bodies of hostile values, up to the limit of their endpoint, keep all bounds of cost and size',
  async () => {
    const { runTrial, service } = await startTrialRunner(30)
    const endAt = performance.now() + minutes * 60_000
    const trials = shuffleTrials()
    const violations: string[] = []
    let trialCount = 0
    for (const trial of trials) {
      if (performance.now() > endAt) break
      violations.push(...(await runTrial(trial)))
      trialCount++
    }
    console.log(`hostile bodies: ${trialCount} of ${trials.length} tried`)
    expect(violations).toEqual([])
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
  },
  (minutes + 5) * 60_000,
)
