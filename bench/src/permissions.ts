import { fork } from 'node:child_process'
import { once } from 'node:events'
import { loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import { MemoryGraph } from '@passport/permissions'
import { compileSchema } from '@passport/permissions/compile'
import { type KnownChecks, selectKnownChecks } from './known-checks.ts'
import { computeDataSize, generateRelationships, permissionSchema } from './permission-data.ts'
import { compareFigures, type Figures } from './permission-figures.ts'
import { measurePermissionService } from './permission-service.ts'

const checkCount = 2000
/** SpiceDB is much slower, so it gets fewer checks. */
const spiceDbCheckCount = 50

/**
 * Measures the engine in process and over HTTP, and the real SpiceDB with the same relationships and checks. They run
 * in sequence, so that none takes CPU time from another.
 */
export async function measurePermissions(sizes: number[]): Promise<string> {
  const reports: string[] = []
  for (const relationshipCount of sizes) {
    const checks = createChecks(relationshipCount)
    const inProcess = await logDuration('in process', () => runInChild('./permission-core.ts', relationshipCount))
    const service = await logDuration('over HTTP', () => measurePermissionService(relationshipCount, checks))
    console.log(`\n${compareFigures({ ...inProcess, ...service }, {})}\n`)
    const spiceDbChecks = {
      hits: checks.hits.slice(0, spiceDbCheckCount),
      misses: checks.misses.slice(0, spiceDbCheckCount),
    }
    const spiceDb = await logDuration('SpiceDB', () =>
      runInChild('./permission-spicedb.ts', relationshipCount, spiceDbChecks),
    )
    const [load] = loadavg()
    const title = `${relationshipCount.toLocaleString('en')} relationships, load average ${load?.toFixed(1)}`
    const report = `${title}\n\n${compareFigures({ ...inProcess, ...service }, spiceDb)}`
    console.log(`\n${report}`)
    reports.push(report)
  }
  return reports.join('\n\n')
}

async function logDuration<T>(part: string, measure: () => Promise<T>): Promise<T> {
  const startedAt = performance.now()
  const measured = await measure()
  console.log(`measured ${part} in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`)
  return measured
}

function createChecks(relationshipCount: number): KnownChecks {
  const graph = new MemoryGraph()
  for (const relationship of generateRelationships(relationshipCount)) graph.add(relationship)
  const source = { schema: compileSchema(permissionSchema), graph, size: computeDataSize(relationshipCount) }
  return selectKnownChecks(source, checkCount)
}

/**
 * Returns the figures sent by a child process and kills it, because SpiceDB takes seconds to shut down. Throws if the
 * child exits before it sends any.
 */
async function runInChild(file: string, relationshipCount: number, childInput?: KnownChecks): Promise<Figures> {
  const path = fileURLToPath(new URL(file, import.meta.url))
  const child = fork(path, [String(relationshipCount)], {
    execArgv: ['--expose-gc', '--max-old-space-size=4096'],
    serialization: 'advanced',
  })
  const failure = once(child, 'exit').then(([code]) => {
    throw new Error(`${file} exited with code ${code}`)
  })
  failure.catch(() => {})
  if (childInput) child.send(childInput)
  const [figures] = await Promise.race([once(child, 'message'), failure])
  child.kill('SIGKILL')
  return figures as Figures
}
