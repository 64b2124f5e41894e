import type { Action, AuditEntry } from '@passport/contract/audit'
import { includesAdminScope } from '@passport/contract/endpoint'
import { capitalize } from '../ui/capitalize.ts'
import { ownSentences, selfSentences } from './own-sentences.ts'

/**
 * The sentence of each action, completed by the actor; one that begins with a capital has no actor. `{target}` is the
 * target, any other name is a value of after or before; a list is shown as its length.
 */
export const sentences: Record<Action, string> = {
  ...ownSentences,
  'directory.password-refused': 'Wrong password entered for {target}',
  'directory.locked': '{target} locked for 15 minutes after too many wrong passwords',
  'user.created': 'created {target}',
  'user.changed': 'edited {target}',
  'user.disabled': 'disabled {target}',
  'user.enabled': 'enabled {target}',
  'user.locked-down': 'locked down {target}',
  'user.deleted': 'deleted {target}',
  'user.restored': 'restored {target}',
  'user.roles-left': 'did not restore the roles of {target}',
  'user.enrolment-link-created': 'created an enrolment link for {target}',
  'user.enrolment-link-opened': 'Enrolment link of {target} opened in a browser',
  'user.enrolment-link-used': 'set a password by an enrolment link',
  'user.enrolment-link-revoked': 'revoked the enrolment link of {target}',
  'user.adopted': 'took over the provisioning of {target}',
  'users.imported': 'imported {people} users',
  'users.import-taken-back': 'undid the import of {people} users',
  'users.import-checked': 'uploaded a file of {people} users to import',
  'users.import-stopped': 'stopped an import because its author is no longer an administrator',
  'users.exported': 'exported users',
  'profile.changed': 'edited the profile of {target}',
  'notice.settings-changed': 'changed which emails {target} receives',
  'profile.avatar-changed': 'changed the avatar of {target}',
  'profile.avatar-archived': 'archived an avatar of {target} from Ready Player Me',
  'role.granted': 'added the role {role} to {target}',
  'role.taken': 'removed the role {role} from {target}',
  'role.created': 'created the role {target}',
  'role.changed': 'edited the role {target}',
  'role.deleted': 'deleted the role {target}',
  'org.branding-changed': 'changed the branding of {target}',
  'org.created': 'created the organisation {target}',
  'org.changed': 'edited the organisation {target}',
  'org.deleted': 'deleted the organisation {target}',
  'org.restored': 'restored the organisation {target}',
  'org.member-added': 'added members to {target}',
  'org.member-changed': "changed a member's role in {target}",
  'org.member-removed': 'removed members from {target}',
  'org.domain-added': 'added the domain {domain} to {target}',
  'org.domain-verified': 'verified the domain {domain} of {target}',
  'org.domain-lapsed': 'Domain {domain} of {target} is no longer verified',
  'org.domain-removed': 'removed the domain {domain} from {target}',
  'org.entra-linked': 'linked the Microsoft Entra tenant {tenant} to {target}',
  'org.entra-changed': 'changed the Microsoft Entra mappings of {target}',
  'org.entra-enabled': 'enabled sign-in through Microsoft Entra for {target}',
  'org.entra-disabled': 'disabled sign-in through Microsoft Entra for {target}',
  'org.entra-tested': 'tested sign-in through Microsoft Entra for {target}',
  'org.scim-token-created': 'created the SCIM token “{token}” of {target}',
  'org.scim-token-revoked': 'revoked the SCIM token “{token}” of {target}',
  'org.consent-requested': 'created a consent link for {target}',
  'org.consent-granted': 'Microsoft Entra tenant of {target} consented',
  'org.consent-failed': 'Consent of the Microsoft Entra tenant of {target} failed',
  'org.consent-revoked': 'Microsoft Entra tenant of {target} revoked its consent',
  'org.setup-link-created': 'created a set-up link for {target}',
  'org.setup-link-opened': 'Set-up link of {target} opened in a browser',
  'org.setup-link-revoked': 'revoked a set-up link of {target}',
  'group.created': 'created the group {target}',
  'group.changed': 'edited the group {target}',
  'group.deleted': 'deleted the group {target}',
  'group.restored': 'restored the group {target}',
  'group.roles-left': 'did not restore the roles of the group {target}',
  'group.members-added': 'added members to {target}',
  'group.members-removed': 'removed members from {target}',
  'group.owners-added': 'added owners to {target}',
  'group.owners-removed': 'removed owners from {target}',
  'group.roles-changed': 'changed the roles of {target}',
  'invitation.sent': 'invited {email}',
  'invitation.resent': 'resent the invitation to {email}',
  'invitation.revoked': 'revoked the invitation to {email}',
  'invitation.claimed': 'claimed an invitation sent to another address; awaiting confirmation',
  'invitation.confirmed': 'confirmed the claim of an invitation',
  'invitation.accepted': 'accepted an invitation',
  'client.created': 'created the application {target}',
  'client.changed': 'edited the application {target}',
  'client.deleted': 'deleted the application {target}',
  'client.restored': 'restored the application {target}',
  'client.secret-created': 'created a secret for the application {target}',
  'client.secret-deleted': 'deleted a secret of the application {target}',
  'client.called': 'called {call}',
  'identity-api.created': 'created the API {target}',
  'identity-api.changed': 'edited the API {target}',
  'identity-api.deleted': 'deleted the API {target}',
  'identity-api.restored': 'restored the API {target}',
  'aws-product.created': 'created the AWS product {target}',
  'aws-product.changed': 'edited the AWS product {target}',
  'aws-product.deleted': 'deleted the AWS product {target}',
  'aws-product.restored': 'restored the AWS product {target}',
  'aws-subscription.redeemed': 'gave the AWS subscription {target} to {org}',
  'aws-subscription.created': 'created the AWS subscription {target}',
  'aws-subscription.changed': 'edited the AWS subscription {target}',
  'aws-subscription.assigned': 'assigned the AWS subscription {target} to {org}',
  'aws-subscription.refreshed': 'checked the AWS subscription {target}',
  'aws-subscription.status-changed': 'changed the state of the AWS subscription {target}',
  'aws-subscription.usage-retried': 'sent the refused usage of the AWS subscription {target} again',
  'aws-event.redriven': 'redrove an AWS event',
  'aws-event.assigned': 'assigned an AWS event to a subscription',
  'aws-event.simulated': 'simulated an event of AWS',
  'entitlement.created': 'created the entitlement {target}',
  'entitlement.changed': 'edited the entitlement {target}',
  'entitlement.deleted': 'deleted the entitlement {target}',
  'entitlement.restored': 'restored the entitlement {target}',
  'entitlement.granted': 'granted {target} to {org}',
  'entitlement.grant-changed': 'changed what {org} has of {target}',
  'entitlement.usage-reported': 'reported usage of {target} by {org}',
  'entitlement.grant-closed': 'ended the grant of {target} to {org}',
  'branding.changed': 'changed the branding',
  'cors.changed': 'changed the allowed origins of {target}',
  'mail.resent': 'sent a failed email to {email} again',
  'mail.tested': 'tested the mail server',
  'content.created': 'drafted the text {target}',
  'content.changed': 'edited the draft of {target}',
  'content.draft-discarded': 'discarded the draft of {target}',
  'content.published': 'published the text {target}',
  'content.reverted': 'restored an earlier version of {target} as a draft',
  'content.deleted': 'deleted the text {target}',
  'content.restored': 'restored the text {target}',
  'join-link.created': 'created a join link for {target}',
  'join-link.stopped': 'revoked a join link for {target}',
  'join-link.accepted': 'joined {target} with a join link',
  'audit.exported': 'exported the audit log',
  'audit.retention-changed': 'changed the audit retention',
  'audit.purged': 'deleted {events} expired events',
  'trash.purged': 'permanently deleted records from the trash: {ids}',
  'preference.saved': 'saved the preference {target}',
  'preference.removed': 'deleted the preference {target}',
  'preference.history-deleted': 'deleted the history of the preference {target}',
  'directory.password-set': 'set the password of {target}',
  'directory.signed-up': 'Account created in the built-in directory for {email}',
  'directory.sign-up-stopped': 'Sign-up stopped after 5 wrong codes',
  'demo-user.removed': 'removed the demo user {target}',
  'permissions.relationships-changed': 'changed relationships: {written} written, {removed} removed',
  'permissions.schema-changed': 'edited the permissions schema',
  'permissions.imported': 'imported {written} relationships from a file',
  'permissions.exported': 'exported permissions',
  'permissions.assertion-saved': 'saved a permission assertion',
  'permissions.assertion-deleted': 'deleted a permission assertion',
  'key.rotated': 'rotated {target}',
  'key.revoked': 'revoked a signing key',
}

/** Variants for actions where actor and target are the same user. */
const allSelfSentences: Record<string, string> = {
  ...selfSentences,
  'profile.changed': 'edited their own profile',
  'notice.settings-changed': 'changed which emails they receive',
  'profile.avatar-changed': 'changed their own avatar',
}

const hasAdminScope = (values: AuditEntry['after']) =>
  Array.isArray(values?.['scopes']) && includesAdminScope(values['scopes'] as string[])

/** Returns the sentence of an event, with placeholders for its values. */
export function findTemplate({ action, actor, target, before, after }: AuditEntry): string {
  if (action === 'permissions.relationships-changed' && !before?.['removed']) return 'wrote relationships: {written}'
  if (action === 'permissions.relationships-changed' && !after?.['written']) return 'removed relationships: {removed}'
  if (!hasAdminScope(before) && hasAdminScope(after))
    return action === 'client.created'
      ? 'created the application {target} with access to administration'
      : 'gave the application {target} access to administration'
  const skipsConsent = before?.['consent'] !== 'skip' && after?.['consent'] === 'skip'
  if (action === 'client.created' && skipsConsent)
    return 'created the application {target}, which never asks for consent'
  if (action === 'client.changed' && skipsConsent) return 'let the application {target} never ask for consent'
  const isSelf = actor !== null && target.kind === 'user' && target.id === actor.id
  const template = (isSelf ? allSelfSentences[action] : undefined) ?? (sentences as Record<string, string>)[action]
  return template ?? `performed “${action}” on {target}`
}

/** Returns the names of values that the sentence covers completely, so that they need not be repeated. */
export function findCoveredNames(entry: AuditEntry): string[] {
  const names = [...findTemplate(entry).matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const { before, after } = entry
  if (entry.action.startsWith('profile.avatar-')) return ['pngHash', 'glbHash']
  return names.filter(
    (name) => !Array.isArray(after?.[name] ?? before?.[name]) && !(before && after && name in before && name in after),
  )
}

/** A piece of a sentence: text, or a linked record. */
export type Piece = string | { kind: string; id: string | null; name: string }

/** The kind in a sentence, which the target of a group repeats: “30 groups”. */
const kindWords = /the (?:organisation|group|role|preference|demo user|API|AWS product|entitlement|text) (?=\{target\})/

/**
 * Formats an event as the pieces of a sentence; `nameOf` returns the display name of an identity provider of the
 * configuration. A target with a name but no id stands for several records.
 */
export function formatPieces(entry: AuditEntry, nameOf = (idp: string) => idp): Piece[] {
  const { actor } = entry
  const isGroup = entry.target.id === null && entry.target.name !== null
  const template = isGroup ? findTemplate(entry).replace(kindWords, '') : findTemplate(entry)
  if (template !== capitalize(template))
    return [
      actor ? { kind: findActorKind(actor.id), ...actor } : 'Passport',
      ...fillTemplate(` ${template}`, entry, nameOf),
    ]
  return fillTemplate(template, entry, nameOf)
}

/**
 * Returns the kind of an actor: the ids of clients that act on their own behalf, of SCIM clients, and of set-up links, have
 * a prefix.
 */
const findActorKind = (actorId: string) => /^(client|scim|setup):/.exec(actorId)?.[1] ?? 'user'

function fillTemplate(
  text: string,
  { target, before, after, names }: AuditEntry,
  nameOf: (idp: string) => string,
): Piece[] {
  return text.split(/\{(\w+)\}/).flatMap((part, index): Piece[] => {
    if (index % 2 === 0) return part === '' ? [] : [part]
    if (part === 'target') return [{ ...target, name: nameTarget(target) }]
    const value = after?.[part] ?? before?.[part]
    return [part === 'idp' && typeof value === 'string' ? (names[value] ?? nameOf(value)) : formatValue(value, part)]
  })
}

/** Names a target. The id of a preference is that of its user, a slash and its key. */
function nameTarget({ kind, id, name }: AuditEntry['target']): string {
  if (name !== null) return name
  if (kind === 'directory-person' && id === null) return 'an unknown username'
  if (kind === 'key') return 'the signing keys'
  if (kind === 'preference' && id) return id.slice(id.indexOf('/') + 1)
  return id ?? `unknown ${kind}`
}

function formatValue(value: unknown, name: string): string {
  if (Array.isArray(value)) return String(value.length)
  return value === undefined || value === null ? (unknownValues[name] ?? 'some') : String(value)
}
const unknownValues: Record<string, string> = { idp: 'an identity provider', email: 'an unknown address' }
