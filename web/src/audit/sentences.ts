import type { Action, AuditEntry } from '@passport/contract/audit'
import { asStart, ownSentences, toOneself } from './own-sentences.ts'

/**
 * What each action is in words, said of whoever did it; one that begins with a capital has nobody who did it. `{target}`
 * is what it was done to, any other name a value of after or before: of a list, how many there are.
 */
export const sentences: Record<Action, string> = {
  ...ownSentences,
  'user.created': 'created {target}',
  'user.changed': 'changed {target}',
  'user.disabled': 'disabled {target}',
  'user.enabled': 'enabled {target}',
  'user.locked-down': 'locked {target} down',
  'user.deleted': 'deleted {target}',
  'user.restored': 'restored {target}',
  'users.imported': 'imported {people} people',
  'users.import-taken-back': 'took back the import of {people} people',
  'users.import-checked': 'uploaded a file of {people} people to import',
  'users.import-stopped': 'stopped the import of someone who is no administrator any more',
  'users.exported': 'exported a list of people',
  'profile.changed': 'changed the profile of {target}',
  'role.granted': 'gave {target} the role {role}',
  'role.taken': 'took the role {role} from {target}',
  'role.created': 'made the role {target}',
  'role.changed': 'changed the role {target}',
  'role.deleted': 'deleted the role {target}',
  'org.created': 'made the organisation {target}',
  'org.changed': 'changed the organisation {target}',
  'org.deleted': 'deleted the organisation {target}',
  'org.restored': 'restored the organisation {target}',
  'org.member-added': 'added people to {target}',
  'org.member-changed': 'changed what someone is in {target}',
  'org.member-removed': 'removed people from {target}',
  'org.domain-added': 'added the domain {domain} to {target}',
  'org.domain-verified': 'proved the domain {domain} of {target}',
  'org.domain-lapsed': 'let the domain {domain} of {target} lapse',
  'org.domain-removed': 'removed the domain {domain} from {target}',
  'group.created': 'made the group {target}',
  'group.changed': 'changed the group {target}',
  'group.deleted': 'deleted the group {target}',
  'group.restored': 'restored the group {target}',
  'group.members-added': 'added members to {target}',
  'group.members-removed': 'removed members from {target}',
  'group.owners-added': 'added owners to {target}',
  'group.owners-removed': 'removed owners from {target}',
  'group.roles-changed': 'changed the roles of {target}',
  'invitation.sent': 'invited {email}',
  'invitation.resent': 'invited {email} again',
  'invitation.revoked': 'took the invitation of {email} back',
  'invitation.claimed': 'took an invitation for another address, and waits to be confirmed',
  'invitation.confirmed': 'confirmed who took an invitation',
  'invitation.accepted': 'accepted an invitation',
  'join-link.created': 'made a join link for {target}',
  'join-link.stopped': 'stopped a join link for {target}',
  'join-link.accepted': 'joined {target} by a link',
  'audit.exported': 'exported the audit',
  'audit.retention-changed': 'changed for how long the audit is kept',
  'audit.purged': 'removed {events} events that were past their time',
  'bin.purged': 'removed for good what was deleted 30 days ago: {ids}',
  'preference.saved': 'saved a preference',
  'preference.removed': 'deleted a preference',
  'directory.password-set': 'set the password of {target}',
  'cast.dismissed': 'removed {target}, one of the demonstration people',
  'permissions.relationships-changed': 'changed relationships: {written} written, {removed} removed',
  'permissions.schema-changed': 'changed the schema of permissions',
  'permissions.imported': 'imported {written} relationships from a file',
  'permissions.exported': 'exported the permissions',
  'permissions.assertion-saved': 'saved what must hold of permissions',
  'permissions.assertion-deleted': 'deleted what had to hold of permissions',
  'key.rotated': 'changed the keys that tokens are signed with',
}

/** How people do to themselves what they also do to others. */
const toThemselves: Record<string, string> = { ...toOneself, 'profile.changed': 'changed their own profile' }

function templateOf({ action, actor, target, before, after }: AuditEntry): string {
  if (action === 'permissions.relationships-changed' && !before?.['removed']) return 'wrote relationships: {written}'
  if (action === 'permissions.relationships-changed' && !after?.['written']) return 'removed relationships: {removed}'
  const isOneself = actor !== null && target.kind === 'user' && target.id === actor.id
  const known = (isOneself ? toThemselves[action] : undefined) ?? (sentences as Record<string, string>)[action]
  return known ?? `did “${action}” to {target}`
}

/** The names of what the sentence tells in full, which need not be told again. */
export function saidIn(entry: AuditEntry): string[] {
  const named = [...templateOf(entry).matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const { before, after } = entry
  return named.filter(
    (name) => !Array.isArray(after?.[name] ?? before?.[name]) && !(before && after && name in before && name in after),
  )
}

/** A piece of a sentence: text, or whom or what it is about. */
export type Piece = string | { kind: string; id: string | null; name: string }

/** An event as the pieces of a sentence; `nameOf` tells what people call an identity provider. */
export function piecesOf(entry: AuditEntry, nameOf = (idp: string) => idp): Piece[] {
  const { actor } = entry
  const told = templateOf(entry)
  if (told !== asStart(told))
    return [actor ? { kind: kindOf(actor.id), ...actor } : 'Passport', ...filled(` ${told}`, entry, nameOf)]
  return filled(told, entry, nameOf)
}

/** An application that acts for itself is told from people by its id. */
const kindOf = (actorId: string) => (actorId.startsWith('client:') ? 'client' : 'user')

function filled(text: string, { target, before, after }: AuditEntry, nameOf: (idp: string) => string): Piece[] {
  return text.split(/\{(\w+)\}/).flatMap((part, at): Piece[] => {
    if (at % 2 === 0) return part === '' ? [] : [part]
    if (part === 'target') return [{ ...target, name: target.name ?? target.id ?? `some ${target.kind}` }]
    const value = after?.[part] ?? before?.[part]
    return [part === 'idp' && typeof value === 'string' ? nameOf(value) : toldOf(value, part)]
  })
}

function toldOf(value: unknown, name: string): string {
  if (Array.isArray(value)) return String(value.length)
  return value === undefined || value === null ? (unknownValues[name] ?? 'some') : String(value)
}
const unknownValues: Record<string, string> = { idp: 'an identity provider', email: 'someone' }
