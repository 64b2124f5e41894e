import { describe, expect, test } from 'vitest'
import { PermissionError } from '../src/error.ts'
import { parseRelationship } from '../src/graph/relationship-text.ts'
import type { EngineRequest } from './arbitrary-permissions.ts'
import { caveatScenarios } from './conformance-caveats.ts'
import { expandScenarios } from './conformance-expand.ts'
import { limitScenarios } from './conformance-limits.ts'
import { expressionScenarios, type Scenario, type Step } from './conformance-scenarios.ts'
import { writeScenarios } from './conformance-writes.ts'
import { evaluate, type Result } from './evaluate.ts'
import type { MemoryEngine } from './memory-engine.ts'

const types = ['document', 'folder', 'group', 'team']

/**
 * Declares a test for each scenario, which empties the engine first. With `isEvaluatorAlone`, omits the scenarios about
 * storage.
 */
export function describeConformance(
  name: string,
  start: () => Promise<MemoryEngine>,
  { isEvaluatorAlone = false }: { isEvaluatorAlone?: boolean } = {},
): void {
  describe(`${name} conforms to SpiceDB`, () => {
    let started: Promise<MemoryEngine> | undefined
    const scenarios = [
      ...expressionScenarios,
      ...limitScenarios,
      ...writeScenarios,
      ...caveatScenarios,
      ...expandScenarios,
    ]
    const applicable = scenarios.filter(({ isAboutStorage }) => !(isEvaluatorAlone && isAboutStorage))
    test.each(applicable)('$name', async (scenario) => {
      started ??= start()
      await runScenario(await started, scenario)
    })
  })
}

async function runScenario(engine: MemoryEngine, { schema, relationships = [], steps }: Scenario): Promise<void> {
  for (const resourceType of types) await engine.deleteRelationships({ resourceType }).catch(ignoreUnknownType)
  await engine.writeSchema(schema)
  const updates = relationships.map((line) => ({ operation: 'touch' as const, relationship: parseRelationship(line) }))
  if (updates.length > 0) await engine.writeRelationships(updates)
  for (const step of steps)
    expect(await runStep(engine, step), JSON.stringify(step).slice(0, 300)).toEqual(toExpectedResult(step))
}

function ignoreUnknownType(error: unknown): void {
  if (!(error instanceof PermissionError && error.code === 'unknown-type')) throw error
}

/** Returns the expected result of `runStep`, as a matcher for errors: any of the codes, and the field if specified. */
function toExpectedResult(step: Step): unknown {
  if ('fails' in step) {
    const error = expect.stringMatching(new RegExp(`^(?:${[step.fails].flat().join('|')})$`))
    return expect.objectContaining({ error, ...(step.at !== undefined && { field: step.at }) })
  }
  if ('check' in step) return { is: [parseVerdict(step.is)] }
  if ('are' in step) return { is: step.are }
  if ('deleted' in step) return { is: [`${step.deleted} ${step.isComplete}`] }
  return { is: ['written'] }
}

function parseVerdict(text: string): string {
  if (text === 'yes') return 'hasPermission'
  return text === 'no' ? 'noPermission' : text.replace('needs', 'conditional:')
}

async function runStep(engine: MemoryEngine, step: Step): Promise<Result> {
  if ('schema' in step) return catchError(() => engine.writeSchema(step.schema).then(() => 'written'))
  if ('erase' in step) {
    const { erase, limit } = step
    const options = limit === undefined ? {} : { limit }
    return catchError(async () => {
      const { deleted, isComplete } = await engine.deleteRelationships(erase, options)
      return `${deleted} ${isComplete}`
    })
  }
  if ('write' in step) return catchError(() => write(engine, step))
  return evaluate(engine, toRequest(step), 2)
}

async function write(engine: MemoryEngine, step: Extract<Step, { write: string[] }>): Promise<string> {
  const { operation = 'touch', must, mustNot } = step
  await engine.writeRelationships(
    step.write.map((line) => ({ operation, relationship: parseRelationship(line) })),
    [
      ...(must ? [{ operation: 'mustMatch' as const, filter: must }] : []),
      ...(mustNot ? [{ operation: 'mustNotMatch' as const, filter: mustNot }] : []),
    ],
  )
  return 'written'
}

async function catchError(call: () => Promise<string>): Promise<Result> {
  try {
    return { is: [await call()] }
  } catch (error) {
    if (error instanceof PermissionError) return { error: error.code, field: error.field }
    throw error
  }
}

type RequestStep = Exclude<Step, { write: string[] } | { erase: object } | { schema: string }>

function toRequest(step: RequestStep): EngineRequest {
  if ('read' in step) return { kind: 'read', filter: step.read }
  if ('expand' in step) {
    const [resource = '', permission = ''] = step.expand.split('#')
    return { kind: 'expand', resource, permission }
  }
  const { context = {} } = step
  const [object = '', permission = '', subject = ''] = split(
    'check' in step ? step.check : 'resources' in step ? step.resources : step.subjects,
  )
  if ('check' in step) return { kind: 'check', resource: object, permission, subject, context }
  if ('resources' in step) return { kind: 'resources', type: object, permission, subject, context }
  return { kind: 'subjects', resource: object, permission, subject, context }
}

/** Splits `document:one#view@user:ann` into object, permission and subject. */
function split(text: string): string[] {
  return /^([^#]*)#([^@]*)@(.*)$/.exec(text)?.slice(1) ?? []
}
