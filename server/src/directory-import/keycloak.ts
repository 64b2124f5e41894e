import { Email } from '@passport/contract/email'
import { GroupDescription, GroupName } from '@passport/contract/groups'
import { OrgName } from '@passport/contract/orgs'
import { RoleDescription } from '@passport/contract/roles'
import { Username } from '@passport/contract/username'
import { DisplayName } from '@passport/contract/users'
import * as z from 'zod/mini'
import { cutText } from '../http/storable-text.ts'
import { findPublicMailErrors } from '../orgs/public-mail.ts'
import { appendNumber, createFreeNames, deriveSlug } from '../slug.ts'
import { readSubject } from '../users/read-person.ts'
import { readCredential } from './keycloak-credential.ts'
import { formatKey, isOwnRole, isUsualRole, keyOf } from './keycloak-roles.ts'
import * as shape from './keycloak-shape.ts'
import { MissingRecords } from './missing-records.ts'
import { Report } from './report.ts'
import { createRoleNames } from './role-names.ts'
import {
  InvalidSource,
  type Source,
  type SourceGroup,
  type SourceOrg,
  type SourceRole,
  type SourceUser,
  type TargetProvider,
} from './source.ts'

/**
 * Converts the export of a realm with its users, by `kc.sh export`. Throws `InvalidSource`, also for a reference to a record
 * that the export lacks.
 */
export function readKeycloak(document: unknown, providers: TargetProvider[]): Source {
  const parsed = z.safeParse(shape.Realm, shape.removeNulls(document))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new InvalidSource(
      `The file is no export of a realm: ${issue?.path.join('.') || 'its content'}: ${issue?.message}`,
    )
  }
  return new Conversion(parsed.data, providers).convert()
}

const completeExport =
  'An export by folder has the realm and its users in several files: name the folder, or all of them.'

class Conversion {
  readonly #report = new Report()
  readonly #realm: shape.Realm
  readonly #providers: TargetProvider[]
  readonly #toRoleName = createRoleNames()
  /** Roles by the key of `keyOf`. A role of Keycloak itself is not imported. */
  readonly #roles = new Map<string, { role?: SourceRole; composites: string[] }>()
  readonly #groups: SourceGroup[] = []
  /** Groups by their path; of a path that two groups have, both. */
  readonly #groupsByPath = new Map<string, SourceGroup[]>()
  readonly #toFreeGroupName = createFreeNames((name, number) => `${name} ${number}`)
  readonly #missing = new MissingRecords()

  constructor(realm: shape.Realm, providers: TargetProvider[]) {
    this.#realm = realm
    this.#providers = providers
  }

  convert(): Source {
    const { realm } = this.#realm
    this.#dropUnknown('realm', this.#realm, shape.readFields.realm)
    this.#convertRoles()
    for (const group of this.#realm.groups) this.#convertGroup(group, [], [])
    const orgs = this.#convertOrgs()
    const memberships = Map.groupBy(
      orgs.flatMap(({ org, members }) => [...members].map((username) => ({ username, org }))),
      ({ username }) => username,
    )
    const users = this.#convertUsers((username) => (memberships.get(username) ?? []).map(({ org }) => org))
    this.#missing.reject(completeExport)
    this.#addNotes()
    return {
      name: `keycloak ${realm}`,
      roles: [...this.#roles.values()].flatMap(({ role }) => role ?? []),
      orgs: orgs.map(({ org }) => org),
      groups: this.#groups,
      users,
      report: this.#report,
    }
  }

  #addNotes() {
    const { realm, users } = this.#realm
    if (users.length === 0) this.#report.notes.push(`The export has no users. ${completeExport}`)
    const own = [...this.#roles.values()].filter(({ role }) => role === undefined).length
    if (own > 0) this.#report.notes.push(`Roles of Keycloak itself that are left out: ${own}.`)
    if (realm === 'master') this.#report.notes.push('The realm master has the administrators of Keycloak.')
  }

  /** Reports the fields of a record that are not imported and have a value. */
  #dropUnknown(kind: string, record: object, known: ReadonlySet<string>, label = '') {
    for (const [field, value] of Object.entries(record))
      if (!known.has(field) && !isEmpty(value)) this.#report.add('dropped', `${kind}.${field}`, { record: label })
  }

  #convertRoles() {
    const { realm, client } = this.#realm.roles
    const all = [
      ...realm.map((role) => ({ client: null, role })),
      ...Object.entries(client).flatMap(([id, roles]) => roles.map((role) => ({ client: id, role }))),
    ]
    for (const { client, role } of all) {
      const label = client === null ? role.name : `${client}.${role.name}`
      const composites = [
        ...role.composites.realm.map((name) => keyOf(null, name)),
        ...Object.entries(role.composites.client).flatMap(([id, names]) => names.map((name) => keyOf(id, name))),
      ]
      if (isOwnRole(this.#realm.realm, keyOf(client, role.name))) {
        this.#roles.set(keyOf(client, role.name), { composites })
        this.#report.add('dropped', 'roles', { reason: 'a role of Keycloak itself', record: label })
        continue
      }
      const name = this.#toRoleName(label)
      const description = z.safeParse(RoleDescription, role.description)
      this.#roles.set(keyOf(client, role.name), {
        role: { name, label, description: description.data ?? cutText(`The role ${label} in Keycloak`, 300) },
        composites,
      })
      this.#dropUnknown('roles', role, shape.readFields.role, label)
      if (name === role.name) this.#report.add('kept', 'roles.name')
      else
        this.#report.add('changed', 'roles.name', {
          reason: 'roles are words in PascalCase',
          record: `${label} → ${name}`,
        })
      if (role.description)
        this.#report.add(description.success ? 'kept' : 'dropped', 'roles.description', {
          ...(description.success ? {} : { reason: 'over 300 characters', record: label }),
        })
      if (composites.length > 0)
        this.#report.add('changed', 'roles.composites', { reason: 'holders get each of its roles', record: label })
    }
    for (const [key, { composites }] of this.#roles)
      for (const composite of composites) this.#requireRole(composite, `the role ${formatKey(key)}`)
  }

  /** Returns roles and those that they contain, without those of Keycloak itself. */
  #expand(keys: string[]): SourceRole[] {
    const seen = new Set<string>()
    const pending = [...keys]
    for (let key = pending.pop(); key !== undefined; key = pending.pop()) {
      if (seen.has(key)) continue
      seen.add(key)
      pending.push(...(this.#roles.get(key)?.composites ?? []))
    }
    return [...seen].flatMap((key) => this.#roles.get(key)?.role ?? [])
  }

  #requireRole(key: string, referrer: string) {
    if (this.#roles.get(key) === undefined && !isOwnRole(this.#realm.realm, key))
      this.#missing.add(`the role ${formatKey(key)}`, referrer)
  }

  #rolesOf({ realmRoles, clientRoles }: { realmRoles: string[]; clientRoles: Record<string, string[]> }): string[] {
    return [
      ...realmRoles.map((name) => keyOf(null, name)),
      ...Object.entries(clientRoles).flatMap(([id, names]) => names.map((name) => keyOf(id, name))),
    ]
  }

  /** Converts a group and those below it. Members of a group have the roles of the groups above it. */
  #convertGroup(group: shape.Group, above: string[], inherited: string[]) {
    const path = [...above, group.name]
    const label = `/${path.join('/')}`
    const own = this.#rolesOf(group)
    for (const key of own) this.#requireRole(key, `the group ${label}`)
    const roles = [...inherited, ...own]
    this.#dropUnknown('groups', group, shape.readFields.group, label)
    const name = this.#findFreeGroupName(path.join(' / '))
    const isSame = name === group.name
    this.#report.add(isSame ? 'kept' : 'changed', 'groups.name', {
      ...(isSame ? {} : { reason: 'groups have no levels here', record: `${label} → ${name}` }),
    })
    if (inherited.length > 0)
      this.#report.add('changed', 'groups.realmRoles', {
        reason: 'it gets the roles of the groups above it',
        record: label,
      })
    else if (roles.length > 0) this.#report.add('kept', 'groups.realmRoles')
    const description = z.safeParse(GroupDescription, group.description ?? '')
    const converted = {
      name,
      label,
      description: description.success ? (description.data ?? '') : '',
      roles: this.#expand(roles),
    }
    this.#groups.push(converted)
    for (const spelling of new Set([label, escapePath(path)])) {
      const found = this.#groupsByPath.get(spelling)
      if (found) found.push(converted)
      else this.#groupsByPath.set(spelling, [converted])
    }
    for (const child of group.subGroups) this.#convertGroup(child, path, roles)
  }

  #findFreeGroupName(name: string): string {
    const max = 120
    const base = z.safeParse(GroupName, name).data ?? (cutText(name, max).trim() || 'Group')
    return this.#toFreeGroupName(base)
  }

  #convertOrgs() {
    const toFreeSlug = createFreeNames(appendNumber)
    return this.#realm.organizations.map((organization) => {
      const label = organization.alias || organization.name
      this.#dropUnknown('organizations', organization, shape.readFields.organization, label)
      const slug = toFreeSlug(deriveSlug(label, 'organisation'))
      this.#report.add(slug === organization.alias ? 'kept' : 'changed', 'organizations.alias', {
        ...(slug === organization.alias ? {} : { reason: 'a slug', record: `${label} → ${slug}` }),
      })
      const name = z.safeParse(OrgName, organization.name)
      this.#report.add(name.success ? 'kept' : 'changed', 'organizations.name')
      if (!organization.enabled)
        this.#report.add('dropped', 'organizations.enabled', {
          reason: 'organisations are not disabled here',
          record: label,
        })
      const domains = organization.domains.flatMap(({ name, verified }) => {
        if (findPublicMailErrors([name.toLowerCase()], String).length > 0) {
          this.#report.add('dropped', 'organizations.domains', { reason: 'a public mail domain', record: name })
          return []
        }
        this.#report.add(verified ? 'changed' : 'kept', 'organizations.domains', {
          ...(verified ? { reason: 'to be verified again by DNS', record: name } : {}),
        })
        return name.toLowerCase()
      })
      return {
        org: {
          slug,
          name: name.data ?? slug,
          label: organization.name,
          isNamedBySlug: slug === organization.alias?.toLowerCase(),
          domains,
        },
        members: new Set(organization.members.map(({ username }) => username.toLowerCase())),
      }
    })
  }

  #convertUsers(findOrgs: FindOrgs): SourceUser[] {
    const usernames = new Set(this.#realm.users.map(({ username }) => username.toLowerCase()))
    for (const { name, members } of this.#realm.organizations)
      for (const { username } of members)
        if (!usernames.has(username.toLowerCase()))
          this.#missing.add(`the user ${username}`, `the organisation ${name}`)
    const signInNames = new Set<string>()
    return this.#realm.users.flatMap((user) => {
      if (user.serviceAccountClientId) {
        this.#report.add('dropped', 'users', { reason: 'the account of an application', record: user.username })
        return []
      }
      return this.#convertUser(user, signInNames, findOrgs)
    })
  }

  #convertUser(user: shape.User, signInNames: Set<string>, findOrgs: FindOrgs): SourceUser {
    const label = user.username
    const { add } = this.#reporter('users', label)
    this.#dropUnknown('users', user, shape.readFields.user, label)
    for (const [name, values] of Object.entries(user.attributes))
      if (!isEmpty(values)) add('dropped', `attributes.${name}`)
    const username = z.safeParse(Username, user.username).data ?? null
    if (username) add('kept', 'username')
    else add('changed', 'username', 'no valid username: it is only the name to sign in with')
    const fullName = [user.firstName, user.lastName].filter(Boolean).join(' ')
    const displayName = fullName === '' ? null : (z.safeParse(DisplayName, fullName).data ?? null)
    if (fullName !== '')
      add(
        displayName ? 'changed' : 'dropped',
        'firstName, lastName',
        displayName ? 'joined to the display name' : 'no valid name',
      )
    const email = user.email ? (z.safeParse(Email, user.email).data ?? null) : null
    if (user.email) add(email ? 'kept' : 'dropped', 'email', email ? '' : 'no valid email')
    if (user.emailVerified) add('kept', 'emailVerified')
    if (!user.enabled) add('kept', 'enabled')
    const roleKeys = this.#rolesOf(user)
    for (const key of roleKeys) {
      this.#requireRole(key, `the user ${label}`)
      if (this.#roles.get(key)?.role) add('kept', 'realmRoles, clientRoles')
      else if (!isUsualRole(key))
        add('dropped', 'realmRoles, clientRoles', `${formatKey(key)} is a role of Keycloak itself`)
    }
    const groups = user.groups.flatMap((path) => this.#findGroup(path, label, add))
    const orgs = findOrgs(user.username.toLowerCase())
    for (const _ of orgs) add('kept', 'organisations')
    return {
      key: `${this.#realm.realm}/${user.id ?? user.username}`,
      label,
      line: null,
      username,
      displayName,
      email,
      emailVerified: user.emailVerified && email !== null,
      isDisabled: !user.enabled,
      roles: this.#expand(roleKeys),
      groups: [...new Set(groups)],
      orgs,
      password: this.#convertPassword(user, signInNames),
      identities: this.#convertIdentities(user),
    }
  }

  /** Returns the group of a path, unless two have it: a name may contain the separator. */
  #findGroup(path: string, user: string, add: Add): SourceGroup[] {
    const found = this.#groupsByPath.get(path) ?? []
    if (found.length === 1) add('kept', 'groups')
    else if (found.length === 0) this.#missing.add(`the group ${path}`, `the user ${user}`)
    else {
      const reason = 'two groups of the file have this path'
      this.#report.addNotJoined({ kind: 'group', label: path, reason, users: 1 })
    }
    return found.length === 1 ? found : []
  }

  #reporter(kind: string, record: string) {
    return {
      add: (outcome: 'kept' | 'changed' | 'dropped', field: string, reason = '') =>
        this.#report.add(outcome, `${kind}.${field}`, { reason, ...(outcome === 'kept' ? {} : { record }) }),
    }
  }

  #convertPassword(user: shape.User, signInNames: Set<string>): SourceUser['password'] {
    const { add } = this.#reporter('users', user.username)
    for (const { type } of user.credentials.filter(({ type }) => type !== 'password'))
      add('dropped', `credentials.${type}`, 'second factors are those of the identity provider')
    const credential = user.credentials.find(({ type }) => type === 'password')
    if (!credential) return null
    const { hash, reason } = readCredential(credential)
    const name = user.username.toLowerCase()
    if (hash === undefined || signInNames.has(name)) {
      add('dropped', 'credentials.password', reason ?? 'the name is taken')
      this.#report.withoutPassword.push({ user: user.username, reason: reason ?? 'the name is taken' })
      return null
    }
    signInNames.add(name)
    add('kept', 'credentials.password')
    return { name, hash }
  }

  #convertIdentities(user: shape.User): SourceUser['identities'] {
    const { add } = this.#reporter('users', user.username)
    return user.federatedIdentities.flatMap(({ identityProvider, userId, userName }) => {
      const known = this.#realm.identityProviders.find(({ alias }) => alias === identityProvider)
      const issuer = known?.config.issuer
      const provider = this.#providers.find(
        (candidate) => candidate.issuer === issuer || (issuer === undefined && candidate.id === identityProvider),
      )
      if (!provider && !known)
        this.#missing.add(`the identity provider ${identityProvider}`, `the user ${user.username}`)
      if (!provider) {
        add(
          'dropped',
          'federatedIdentities',
          `no identity provider with the issuer of ${identityProvider} is configured`,
        )
        return []
      }
      if (readSubject(userId) === undefined) {
        add('dropped', 'federatedIdentities', 'a subject has 1 to 255 visible ASCII characters')
        return []
      }
      add('kept', 'federatedIdentities')
      const label = userName ?? user.email ?? userId
      return { providerId: provider.id, issuer: provider.issuer, subject: userId, label }
    })
  }
}

/** Returns the organisations of a user, by the username in lower case. */
type FindOrgs = (username: string) => SourceOrg[]

type Add = (outcome: 'kept' | 'changed' | 'dropped', field: string, reason?: string) => void

/** Returns the path of a group as Keycloak writes it if it is configured to escape the slashes in names. */
const escapePath = (names: string[]) => names.map((name) => `/${name.replaceAll('/', '~/')}`).join('')

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === false ||
  value === 0 ||
  (typeof value === 'object' && Object.keys(value).length === 0)
