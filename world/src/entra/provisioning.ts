import type { EntraGroup, EntraPerson, EntraTenant } from './directory.ts'

// The provisioning service of Microsoft Entra: what it sends to an application by SCIM, as its documentation describes it.
// Users are matched by `externalId`, then by `userName`; attributes and members change by PATCH with capitalised operations;
// a user who leaves is disabled, and deleted when the directory deletes them for good.

/** A request of a cycle with its response. */
export interface CycleStep {
  method: string
  path: string
  status: number
  detail?: string
}

export interface Cycle {
  at: string
  kind: 'initial' | 'incremental'
  steps: CycleStep[]
  /** Why the cycle stopped early. */
  error?: string
}

interface Target {
  /** The tenant URL and the secret token that an administrator enters. */
  url: string
  token: string
}

interface KnownUser {
  id: string
  sent: Sent
  isDisabled: boolean
}

interface Sent {
  userName: string
  displayName: string
  email: string
  givenName: string
  familyName: string
}

interface KnownGroup {
  id: string
  displayName: string
  members: Set<string>
}

/** The provisioning of one tenant. */
interface Job {
  target: Target
  users: Map<string, KnownUser>
  groups: Map<string, KnownGroup>
  cycles: Cycle[]
  running: Promise<Cycle> | undefined
}

export interface ProvisioningService {
  /** Sets where to provision a tenant; the next cycle is an initial one. */
  configure: (tenantId: string, target: Target) => void
  stop: (tenantId: string) => void
  /** Deletes people who left for good, as the directory does after 30 days. */
  deleteForGood: (oid: string) => void
  /** Runs a cycle now; throws for a tenant without a target. */
  run: (tenantId: string) => Promise<Cycle>
  find: (
    tenantId: string,
  ) => { target: Target; cycles: Cycle[]; leavers: { oid: string; userName: string }[] } | undefined
  /** Ends the schedule. */
  close: () => void
}

const keptCycles = 10
const core = 'urn:ietf:params:scim:schemas:core:2.0'
const patchOp = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

/** Creates the service, which runs a cycle of each tenant every `everySeconds`, or only on demand for 0. */
export function createProvisioning(tenants: EntraTenant[], everySeconds: number): ProvisioningService {
  const jobs = new Map<string, Job>()
  const gone = new Set<string>()
  const timer =
    everySeconds > 0
      ? setInterval(() => {
          for (const tenantId of jobs.keys()) run(tenantId).catch(() => {})
        }, everySeconds * 1000)
      : undefined
  timer?.unref()

  function run(tenantId: string): Promise<Cycle> {
    const job = jobs.get(tenantId)
    const tenant = tenants.find(({ id }) => id === tenantId)
    if (!job || !tenant) throw new Error(`The tenant ${tenantId} is not provisioned`)
    job.running ??= runCycle(tenant, job, gone).finally(() => {
      job.running = undefined
    })
    return job.running
  }

  return {
    configure: (tenantId, target) =>
      void jobs.set(tenantId, { target, users: new Map(), groups: new Map(), cycles: [], running: undefined }),
    stop: (tenantId) => void jobs.delete(tenantId),
    deleteForGood: (oid) => void gone.add(oid),
    run,
    find: (tenantId) => {
      const job = jobs.get(tenantId)
      if (!job) return undefined
      const { target, cycles, users } = job
      const present = new Set(tenants.find(({ id }) => id === tenantId)?.people.map(({ oid }) => oid))
      const leavers = [...users].flatMap(([oid, { sent }]) =>
        present.has(oid) ? [] : [{ oid, userName: sent.userName }],
      )
      return { target, cycles, leavers }
    },
    close: () => clearInterval(timer),
  }
}

async function runCycle(tenant: EntraTenant, job: Job, gone: Set<string>): Promise<Cycle> {
  const kind = job.users.size + job.groups.size === 0 ? 'initial' : 'incremental'
  const cycle: Cycle = { at: new Date().toISOString(), kind, steps: [] }
  job.cycles = [cycle, ...job.cycles].slice(0, keptCycles)
  try {
    for (const person of tenant.people.filter(({ guest }) => !guest)) await provisionUser(job, cycle, person)
    for (const oid of job.users.keys())
      if (!tenant.people.some((person) => person.oid === oid)) await removeUser(job, cycle, oid, gone.has(oid))
    for (const group of tenant.groups ?? []) await provisionGroup(job, cycle, group)
    for (const [groupId, known] of job.groups)
      if (!tenant.groups?.some(({ id }) => id === groupId)) {
        await send(job, cycle, 'DELETE', `/Groups/${known.id}`)
        job.groups.delete(groupId)
      }
  } catch (error) {
    cycle.error = String(error)
  }
  return cycle
}

function toSent({ name, upn, email }: EntraPerson): Sent {
  const [givenName = name, ...rest] = name.split(' ')
  return { userName: upn, displayName: name, email, givenName, familyName: rest.join(' ') }
}

const toAttributes = ({ userName, displayName, email, givenName, familyName }: Sent, oid: string) => ({
  schemas: [`${core}:User`, 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'],
  externalId: oid,
  userName,
  active: true,
  displayName,
  emails: [{ primary: true, type: 'work', value: email }],
  meta: { resourceType: 'User' },
  name: { formatted: displayName, familyName, givenName },
})

/** The target attribute of each value. */
const paths: Record<keyof Sent, string> = {
  userName: 'userName',
  displayName: 'displayName',
  email: 'emails[type eq "work"].value',
  givenName: 'name.givenName',
  familyName: 'name.familyName',
}

async function provisionUser(job: Job, cycle: Cycle, person: EntraPerson): Promise<void> {
  const sent = toSent(person)
  const known = job.users.get(person.oid) ?? (await matchUser(job, cycle, person))
  if (!known) {
    const created = await send(job, cycle, 'POST', '/Users', toAttributes(sent, person.oid))
    if (created) job.users.set(person.oid, { id: String(created['id']), sent, isDisabled: false })
    return
  }
  job.users.set(person.oid, known)
  const changed = (Object.keys(paths) as (keyof Sent)[]).filter((name) => known.sent[name] !== sent[name])
  const operations = [
    ...changed.map((name) => ({ op: 'Replace', path: paths[name], value: sent[name] })),
    ...(known.isDisabled ? [{ op: 'Replace', path: 'active', value: 'True' }] : []),
  ]
  if (operations.length === 0) return
  await send(job, cycle, 'PATCH', `/Users/${known.id}`, { schemas: [patchOp], Operations: operations })
  job.users.set(person.oid, { ...known, sent, isDisabled: false })
}

/** Finds a user of the application by the matching attributes, in their order. */
async function matchUser(job: Job, cycle: Cycle, person: EntraPerson): Promise<KnownUser | undefined> {
  for (const filter of [`externalId eq "${person.oid}"`, `userName eq "${person.upn}"`]) {
    const list = await send(job, cycle, 'GET', `/Users?filter=${encodeURIComponent(filter)}`)
    const [found] = (list?.['Resources'] ?? []) as {
      id: string
      userName?: string
      displayName?: string
      active?: boolean
      emails?: { value: string }[]
      name?: { givenName?: string; familyName?: string }
    }[]
    if (!found) continue
    const sent = {
      userName: found.userName ?? '',
      displayName: found.displayName ?? '',
      email: found.emails?.[0]?.value ?? '',
      givenName: found.name?.givenName ?? '',
      familyName: found.name?.familyName ?? '',
    }
    return { id: found.id, sent, isDisabled: found.active === false }
  }
  return undefined
}

async function removeUser(job: Job, cycle: Cycle, oid: string, forGood: boolean): Promise<void> {
  const known = job.users.get(oid)
  if (!known) return
  if (!known.isDisabled) {
    const Operations = [{ op: 'Replace', path: 'active', value: 'False' }]
    await send(job, cycle, 'PATCH', `/Users/${known.id}`, { schemas: [patchOp], Operations })
    job.users.set(oid, { ...known, isDisabled: true })
  }
  if (!forGood) return
  await send(job, cycle, 'DELETE', `/Users/${known.id}`)
  job.users.delete(oid)
}

async function provisionGroup(job: Job, cycle: Cycle, group: EntraGroup): Promise<void> {
  const known = job.groups.get(group.id) ?? (await matchOrCreateGroup(job, cycle, group))
  if (!known) return
  job.groups.set(group.id, known)
  const path = `/Groups/${known.id}`
  const patch = (...Operations: object[]) => send(job, cycle, 'PATCH', path, { schemas: [patchOp], Operations })
  if (known.displayName !== group.displayName) {
    await patch({ op: 'Replace', path: 'displayName', value: group.displayName })
    known.displayName = group.displayName
  }
  const wanted = new Set(group.memberIds.flatMap((oid) => job.users.get(oid)?.id ?? []))
  const added = [...wanted].filter((id) => !known.members.has(id))
  const removed = [...known.members].filter((id) => !wanted.has(id))
  if (added.length > 0)
    await patch({ op: 'Add', path: 'members', value: added.map((value) => ({ $ref: null, value })) })
  for (const value of removed) await patch({ op: 'Remove', path: 'members', value: [{ $ref: null, value }] })
  known.members = wanted
}

async function matchOrCreateGroup(job: Job, cycle: Cycle, group: EntraGroup): Promise<KnownGroup | undefined> {
  const filter = encodeURIComponent(`externalId eq "${group.id}"`)
  const list = await send(job, cycle, 'GET', `/Groups?excludedAttributes=members&filter=${filter}`)
  const [found] = (list?.['Resources'] ?? []) as { id: string; displayName: string }[]
  if (found) return { id: found.id, displayName: found.displayName, members: new Set() }
  const created = await send(job, cycle, 'POST', '/Groups', {
    schemas: [`${core}:Group`],
    externalId: group.id,
    displayName: group.displayName,
    meta: { resourceType: 'Group' },
  })
  return created && { id: String(created['id']), displayName: group.displayName, members: new Set() }
}

/** Sends a request; returns the body of a success. A failure is recorded, and stops the cycle if the token is rejected. */
async function send(
  { target }: Job,
  cycle: Cycle,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown> | undefined> {
  const response = await fetch(target.url.replace(/\/$/, '') + path, {
    method,
    headers: {
      authorization: `Bearer ${target.token}`,
      'user-agent': 'Azure-AD-Provisioning (simulated)',
      ...(body && { 'content-type': 'application/scim+json; charset=utf-8' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const answer = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>
  const { status } = response
  cycle.steps.push({
    method,
    path: decodeURIComponent(path),
    status,
    ...(!response.ok && { detail: String(answer['detail'] ?? '') }),
  })
  if (status === 401) throw new Error(`The credentials are invalid: ${answer['detail']}`)
  return response.ok ? answer : undefined
}
