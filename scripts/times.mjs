// Compares the duration of a test run with `test-times.json`, and fails it if the total grew by more than a fifth.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

const file = new URL('../test-times.json', import.meta.url)
/** The total may grow by this share before the run fails. */
const tolerance = 0.2
/** If other processes use more than this share of the CPU, the times are meaningless. */
const busyShare = 0.1

/**
 * Measures the speed and the load of the machine. `probeMs` is the time of a fixed computation; `busy` is the share of
 * the CPU that other processes use, 0 to 1.
 */
export async function measureMachine() {
  const probes = Array.from({ length: 5 }, runProbe).sort((a, b) => a - b)
  const before = readCpuTicks()
  await new Promise((resolve) => setTimeout(resolve, 2000))
  const after = readCpuTicks()
  const busy = before && after ? (after.busy - before.busy) / Math.max(after.all - before.all, 1) : 0
  return { probeMs: probes[2], busy, cores: availableParallelism() }
}

function runProbe() {
  const startedAt = performance.now()
  let sum = 0
  for (let index = 0; index < 30_000_000; index++) sum = (sum * 31 + index) | 0
  return performance.now() - startedAt + (sum === 0.5 ? 1 : 0)
}

/**
 * Returns the CPU ticks since the machine started; undefined outside Linux. Time stolen by other virtual machines
 * counts as busy.
 */
function readCpuTicks() {
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
 * Prints the differences between the times of a run and the committed times, or saves the times of the run. Returns
 * false if the total grew too much. Times of a busy or different machine are not compared.
 */
export function compareTimes(run, machines, { isSaved }) {
  const times = { ...roundTimes(run), machine: { cores: machines[0].cores, probeMs: Math.round(slowest(machines)) } }
  if (isSaved) {
    writeFileSync(file, `${JSON.stringify(times, null, 2)}\n`)
    console.log('Saved to test-times.json.')
    return true
  }
  if (!existsSync(file)) return true
  const committed = JSON.parse(readFileSync(file, 'utf8'))
  const speed = times.machine.probeMs / committed.machine.probeMs
  printDifferences(committed, times, speed)
  const otherLoad = Math.max(...machines.map(({ busy }) => busy))
  const reason =
    otherLoad > busyShare
      ? `other processes used ${Math.round(otherLoad * 100)} % of the CPU`
      : times.machine.cores !== committed.machine.cores && `this machine has ${times.machine.cores} cores`
  if (reason) {
    console.log(`  Not compared: ${reason}.`)
    return true
  }
  const growth = times.totalSeconds / (committed.totalSeconds * Math.max(speed, 1)) - 1
  if (growth <= tolerance) return true
  console.log(
    `  The tests take ${Math.round(growth * 100)} % longer than in test-times.json; ${tolerance * 100} % is the limit.
  Make them faster, or explain the increase in the commit and run npm test -- --save-times`,
  )
  return false
}

const slowest = (machines) => Math.max(...machines.map(({ probeMs }) => probeMs))

function roundTimes({ totalSeconds, steps, phases, files }) {
  const tenths = (values) =>
    Object.fromEntries(Object.entries(values).map(([name, seconds]) => [name, Math.round(seconds * 10) / 10]))
  const slow = Object.entries(files).sort(([, a], [, b]) => b - a)
  return {
    totalSeconds: Math.round(totalSeconds),
    steps: tenths(steps),
    phases: Object.fromEntries(Object.entries(phases).map(([step, values]) => [step, tenths(values)])),
    files: tenths(Object.fromEntries(slow.filter(([, seconds]) => seconds >= 0.5))),
  }
}

function printDifferences(committed, times, speed) {
  const formatSigned = (seconds) => `${seconds < 0 ? '−' : '+'}${Math.abs(seconds).toFixed(1)} s`
  console.log(
    `  ${times.totalSeconds} s; test-times.json has ${committed.totalSeconds} s, on a machine ${speed.toFixed(2)} times as fast`,
  )
  for (const [step, seconds] of Object.entries(times.steps))
    console.log(`  ${formatSigned(seconds - (committed.steps[step] ?? 0)).padStart(9)}  ${step}`)
  const changes = [...new Set([...Object.keys(committed.files), ...Object.keys(times.files)])]
    .map((path) => [path, (times.files[path] ?? 0) - (committed.files[path] ?? 0)])
    .filter(([, change]) => Math.abs(change) >= 2)
    .sort(([, a], [, b]) => Math.abs(b) - Math.abs(a))
  for (const [path, change] of changes.slice(0, 10)) console.log(`  ${formatSigned(change).padStart(9)}  ${path}`)
}
