import type { v1 } from '@authzed/authzed-node'
import type { Permissionship, Trace } from '@passport/permissions'
import { fromObject, fromStruct, fromSubject } from './messages.ts'

/** SpiceDB's message type, which its client does not export. */
type CheckTrace = NonNullable<NonNullable<v1.CheckPermissionResponse['debugTrace']>['check']>
type CaveatInfo = NonNullable<CheckTrace['caveatEvaluationInfo']>

/** Indexed by SpiceDB's enum; unspecified if the objects of one node differ. */
const permissionships: Permissionship[] = ['noPermission', 'noPermission', 'hasPermission', 'conditional']

export function fromPermissionship(result: v1.CheckPermissionResponse_Permissionship): Permissionship {
  return permissionships[result] ?? 'noPermission'
}

export function readMissing(info: v1.PartialCaveatInfo | undefined): string[] {
  return [...new Set(info?.missingRequiredContext)].sort()
}

/**
 * Converts SpiceDB's trace, which has relations and permissions but no operators or individual relationships. SpiceDB
 * checks several objects of a type at once; their ids are then comma-separated in one node.
 */
export function fromTrace(message: CheckTrace): Trace {
  const caveat = message.caveatEvaluationInfo && fromCaveat(message.caveatEvaluationInfo)
  const { duration, resolution } = message
  return {
    resource: fromObject(message.resource),
    subject: fromSubject(message.subject),
    step: { kind: message.permissionType === 1 ? 'relation' : 'permission', name: message.permission },
    permissionship: applyCaveatResult(fromPermissionship(message.result as number), caveat),
    missing: caveat?.missing ?? [],
    ...(caveat && { caveat }),
    duration: Number(duration?.seconds ?? 0) * 1_000_000 + (duration?.nanos ?? 0) / 1000,
    children: resolution.oneofKind === 'subProblems' ? resolution.subProblems.traces.map(fromTrace) : [],
  }
}

/** SpiceDB's nodes with a caveat are always conditional, whatever its result. */
function applyCaveatResult(result: Permissionship, caveat: Trace['caveat']): Permissionship {
  if (result !== 'conditional' || caveat === undefined || caveat.result === 'missing') return result
  return caveat.result === 'true' ? 'hasPermission' : 'noPermission'
}

const results = ['missing', 'missing', 'false', 'true', 'missing'] as const

function fromCaveat(info: CaveatInfo): NonNullable<Trace['caveat']> {
  return {
    name: info.caveatName,
    expression: info.expression,
    context: fromStruct(info.context),
    result: results[info.result as number] ?? 'missing',
    missing: readMissing(info.partialCaveatInfo),
  }
}
