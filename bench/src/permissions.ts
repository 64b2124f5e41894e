import { fork } from 'node:child_process'
import { once } from 'node:events'
import { loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import { compileSchema } from '@passport/permissions/compile'
import { MemoryGraph } from '@passport/permissions/memory-graph'
import { permissionDataSize, permissionRelationships, permissionSchema } from './permission-data.ts'
import { compareFigures, type Figures } from './permission-figures.ts'
import { type KnownQuestions, knownQuestions } from './permission-questions.ts'
import { measurePermissionService } from './permission-service.ts'

const questions = 2000
/** SpiceDB takes so much longer that fewer must do. */
const questionsOfSpiceDb = 50

/**
 * The engine in process and over HTTP, beside the real SpiceDB on the same relationships, which is asked the same. One
 * after the other, so that none takes the time of another.
 */
export async function measurePermissions(sizes: number[]): Promise<string> {
  const told: string[] = []
  for (const relationships of sizes) {
    const known = questionsOf(relationships)
    const core = await telling('in process', () => figuresOf('./permission-core.ts', relationships))
    const service = await telling('over HTTP', () => measurePermissionService(relationships, known))
    console.log(`\n${compareFigures({ ...core, ...service }, {})}\n`)
    const few = { hits: known.hits.slice(0, questionsOfSpiceDb), misses: known.misses.slice(0, questionsOfSpiceDb) }
    const spiceDb = await telling('SpiceDB', () => figuresOf('./permission-spicedb.ts', relationships, few))
    const [load] = loadavg()
    const title = `${relationships.toLocaleString('en')} relationships, load average ${load?.toFixed(1)}`
    const all = `${title}\n\n${compareFigures({ ...core, ...service }, spiceDb)}`
    console.log(`\n${all}`)
    told.push(all)
  }
  return told.join('\n\n')
}

async function telling<T>(part: string, measure: () => Promise<T>): Promise<T> {
  const since = performance.now()
  const measured = await measure()
  console.log(`measured ${part} in ${((performance.now() - since) / 1000).toFixed(0)} s`)
  return measured
}

function questionsOf(relationships: number): KnownQuestions {
  const graph = new MemoryGraph()
  for (const relationship of permissionRelationships(relationships)) graph.add(relationship)
  const known = { schema: compileSchema(permissionSchema), graph, size: permissionDataSize(relationships) }
  return knownQuestions(known, questions)
}

/** What a program of its own tells; it is ended then, as SpiceDB's own end takes seconds. Throws where it tells nothing. */
async function figuresOf(file: string, relationships: number, asked?: KnownQuestions): Promise<Figures> {
  const path = fileURLToPath(new URL(file, import.meta.url))
  const child = fork(path, [String(relationships)], {
    execArgv: ['--expose-gc', '--max-old-space-size=4096'],
    serialization: 'advanced',
  })
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${file} ended with ${code}`)
  })
  ended.catch(() => {})
  if (asked) child.send(asked)
  const [figures] = await Promise.race([once(child, 'message'), ended])
  child.kill('SIGKILL')
  return figures as Figures
}
