import { PermissionFault } from '@passport/permissions/fault'
import { parseRelationship } from '@passport/permissions/relationship-text'
import { describe, expect, test } from 'vitest'
import type { Question } from './arbitrary-permissions.ts'
import { type Answer, ask } from './ask.ts'
import { caveatScenarios } from './conformance-caveats.ts'
import { expandScenarios } from './conformance-expand.ts'
import { limitScenarios } from './conformance-limits.ts'
import { expressionScenarios, type Scenario, type Step } from './conformance-scenarios.ts'
import { writeScenarios } from './conformance-writes.ts'
import type { MemoryEngine } from './memory-engine.ts'

const types = ['document', 'folder', 'group', 'team']

/** For test files: asks every scenario of an engine, which is emptied before each; of an evaluator those that are its own. */
export function describeConformance(
  name: string,
  start: () => Promise<MemoryEngine>,
  { isEvaluatorAlone = false }: { isEvaluatorAlone?: boolean } = {},
): void {
  describe(`${name} answers as SpiceDB`, () => {
    let started: Promise<MemoryEngine> | undefined
    const scenarios = [
      ...expressionScenarios,
      ...limitScenarios,
      ...writeScenarios,
      ...caveatScenarios,
      ...expandScenarios,
    ]
    const asked = scenarios.filter(({ isAboutStorage }) => !(isEvaluatorAlone && isAboutStorage))
    test.each(asked)('$name', async (scenario) => {
      started ??= start()
      await play(await started, scenario)
    })
  })
}

async function play(engine: MemoryEngine, { schema, relationships = [], steps }: Scenario): Promise<void> {
  for (const resourceType of types) await engine.deleteRelationships({ resourceType }).catch(passUnknown)
  await engine.writeSchema(schema)
  const updates = relationships.map((line) => ({ operation: 'touch' as const, relationship: parseRelationship(line) }))
  if (updates.length > 0) await engine.writeRelationships(updates)
  for (const step of steps) expect(await take(engine, step), JSON.stringify(step).slice(0, 300)).toEqual(wanted(step))
}

function passUnknown(error: unknown): void {
  if (!(error instanceof PermissionFault && error.code === 'unknown-type')) throw error
}

/** As `take` gives it. Of several codes that stand for the same any is right; a field that is not told is not asked. */
function wanted(step: Step): unknown {
  if ('fails' in step) {
    const fault = expect.stringMatching(new RegExp(`^(?:${[step.fails].flat().join('|')})$`))
    return expect.objectContaining({ fault, ...(step.at !== undefined && { field: step.at }) })
  }
  if ('check' in step) return { is: [verdictOf(step.is)] }
  if ('are' in step) return { is: step.are }
  if ('deleted' in step) return { is: [`${step.deleted} ${step.isComplete}`] }
  return { is: ['written'] }
}

function verdictOf(text: string): string {
  if (text === 'yes') return 'hasPermission'
  return text === 'no' ? 'noPermission' : text.replace('needs', 'conditional:')
}

async function take(engine: MemoryEngine, step: Step): Promise<Answer> {
  if ('schema' in step) return faultless(() => engine.writeSchema(step.schema).then(() => 'written'))
  if ('erase' in step) {
    const { erase, limit } = step
    const options = limit === undefined ? {} : { limit }
    return faultless(async () => {
      const { deleted, isComplete } = await engine.deleteRelationships(erase, options)
      return `${deleted} ${isComplete}`
    })
  }
  if ('write' in step) return faultless(() => write(engine, step))
  return ask(engine, toQuestion(step), 2)
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

async function faultless(call: () => Promise<string>): Promise<Answer> {
  try {
    return { is: [await call()] }
  } catch (error) {
    if (error instanceof PermissionFault) return { fault: error.code, field: error.field }
    throw error
  }
}

type Asked = Exclude<Step, { write: string[] } | { erase: object } | { schema: string }>

function toQuestion(step: Asked): Question {
  if ('read' in step) return { ask: 'read', filter: step.read }
  if ('expand' in step) {
    const [resource = '', permission = ''] = step.expand.split('#')
    return { ask: 'expand', resource, permission }
  }
  const { context = {} } = step
  const [object = '', permission = '', subject = ''] = split(
    'check' in step ? step.check : 'resources' in step ? step.resources : step.subjects,
  )
  if ('check' in step) return { ask: 'check', resource: object, permission, subject, context }
  if ('resources' in step) return { ask: 'resources', type: object, permission, subject, context }
  return { ask: 'subjects', resource: object, permission, subject, context }
}

/** `document:one#view@user:ann` into its object, permission and subject. */
function split(text: string): string[] {
  return /^([^#]*)#([^@]*)@(.*)$/.exec(text)?.slice(1) ?? []
}
