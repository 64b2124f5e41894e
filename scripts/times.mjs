// Compares how long a test run took with `test-times.json`, and fails it where the total grew by more than a fifth.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

const file = new URL('../test-times.json', import.meta.url)
/** The total may grow by this share before the run fails. */
const tolerance = 0.2
/** With more of the processors than this in other hands, times say nothing about the tests. */
const busyShare = 0.1

/**
 * How fast the machine is and whether it is free, to be measured before and after a run.
 * `probeMs` is the time of a fixed computation; `busy` is the share of all processors that others use, 0 to 1.
 */
export async function measureMachine() {
  const probes = Array.from({ length: 5 }, probe).sort((one, other) => one - other)
  const before = processorTimes()
  await new Promise((resolve) => setTimeout(resolve, 2000))
  const after = processorTimes()
  const busy = before && after ? (after.busy - before.busy) / Math.max(after.all - before.all, 1) : 0
  return { probeMs: probes[2], busy, cores: availableParallelism() }
}

function probe() {
  const since = performance.now()
  let sum = 0
  for (let at = 0; at < 30_000_000; at++) sum = (sum * 31 + at) | 0
  return performance.now() - since + (sum === 0.5 ? 1 : 0)
}

/** Ticks since the machine started; time stolen by other machines counts as busy. Undefined outside Linux. */
function processorTimes() {
  if (!existsSync('/proc/stat')) return undefined
  const [user, nice, system, idle, wait, ...others] = readFileSync('/proc/stat', 'utf8')
    .split('\n')[0]
    .trim()
    .split(/\s+/)
    .slice(1, 9)
    .map(Number)
  const busy = user + nice + system + others.reduce((sum, ticks) => sum + ticks, 0)
  return { busy, all: busy + idle + wait }
}

/**
 * Prints the differences between a run and the committed one, or commits this one to the file.
 * Returns false where the total is too much longer. A busy or a different machine is compared with nothing.
 */
export function judgeTimes(run, machines, { isSaved }) {
  const times = { ...rounded(run), machine: { cores: machines[0].cores, probeMs: Math.round(slowest(machines)) } }
  if (isSaved) {
    writeFileSync(file, `${JSON.stringify(times, null, 2)}\n`)
    console.log('Saved to test-times.json.')
    return true
  }
  if (!existsSync(file)) return true
  const committed = JSON.parse(readFileSync(file, 'utf8'))
  const speed = times.machine.probeMs / committed.machine.probeMs
  printDifferences(committed, times, speed)
  const others = Math.max(...machines.map(({ busy }) => busy))
  const reason =
    others > busyShare
      ? `other work took ${Math.round(others * 100)} % of the processors`
      : times.machine.cores !== committed.machine.cores && `this machine has ${times.machine.cores} cores`
  if (reason) {
    console.log(`  Not judged: ${reason}.`)
    return true
  }
  const growth = times.totalSeconds / (committed.totalSeconds * Math.max(speed, 1)) - 1
  if (growth <= tolerance) return true
  console.log(
    `  The tests take ${Math.round(growth * 100)} % longer than in test-times.json; ${tolerance * 100} % is the limit.
  Make them cheaper, or say in the commit why they cost more: npm test -- --save-times`,
  )
  return false
}

const slowest = (machines) => Math.max(...machines.map(({ probeMs }) => probeMs))

function rounded({ totalSeconds, steps, phases, files }) {
  const tenths = (values) =>
    Object.fromEntries(Object.entries(values).map(([name, seconds]) => [name, Math.round(seconds * 10) / 10]))
  const slow = Object.entries(files).sort(([, one], [, other]) => other - one)
  return {
    totalSeconds: Math.round(totalSeconds),
    steps: tenths(steps),
    phases: Object.fromEntries(Object.entries(phases).map(([step, values]) => [step, tenths(values)])),
    files: tenths(Object.fromEntries(slow.filter(([, seconds]) => seconds >= 0.5))),
  }
}

function printDifferences(committed, times, speed) {
  const signed = (seconds) => `${seconds < 0 ? '−' : '+'}${Math.abs(seconds).toFixed(1)} s`
  console.log(
    `  ${times.totalSeconds} s; test-times.json has ${committed.totalSeconds} s, on a machine ${speed.toFixed(2)} times as fast`,
  )
  for (const [step, seconds] of Object.entries(times.steps))
    console.log(`  ${signed(seconds - (committed.steps[step] ?? 0)).padStart(9)}  ${step}`)
  const changes = [...new Set([...Object.keys(committed.files), ...Object.keys(times.files)])]
    .map((path) => [path, (times.files[path] ?? 0) - (committed.files[path] ?? 0)])
    .filter(([, change]) => Math.abs(change) >= 2)
    .sort(([, one], [, other]) => Math.abs(other) - Math.abs(one))
  for (const [path, change] of changes.slice(0, 10)) console.log(`  ${signed(change).padStart(9)}  ${path}`)
}
