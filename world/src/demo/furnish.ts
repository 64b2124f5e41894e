import { setTimeout as pause } from 'node:timers/promises'
import type { RunningAwsMarketplace } from '../aws-marketplace/aws-marketplace.ts'
import { addToPassport, stageProducts } from '../aws-marketplace/stage-products.ts'
import type { RunningEntra } from '../entra/entra.ts'
import { northlight } from './northlight.ts'
import { type DemoSession, signInToPassport } from './session.ts'
import type { DemoState } from './state.ts'

export interface Surroundings {
  passportUrl: string
  /** The commercial cloud of Microsoft Entra. */
  entra: RunningEntra
  marketplace: RunningAwsMarketplace
  /** Called after each step. */
  save: (state: DemoState) => void
}

/** The people of Harbour ID who are the demo users. */
export const demoPeople = { ada: 'Ada Lovelace', dev: 'Dev Patel', eve: 'Eve Moreau' } as const
export type DemoUser = keyof typeof demoPeople

/**
 * Creates in Passport what the things to try need, as its users would: in the browser and by the API. Steps of an earlier
 * start are kept.
 */
export async function furnish(state: DemoState, surroundings: Surroundings): Promise<DemoState> {
  const { passportUrl, save } = surroundings
  const done = { ...state }
  const signIn = (name: DemoUser) => signInToPassport(passportUrl, name, state.password)
  let session: Promise<DemoSession> | undefined
  const ada = () => {
    session ??= signIn('ada')
    return session
  }
  const step = async <Part extends keyof DemoState>(part: Part, work: () => Promise<DemoState[Part]>) => {
    if (done[part] !== undefined) return
    done[part] = await work()
    save(done)
  }
  await step('eveId', async () => readUserId(await signIn('eve')))
  await step('isLinked', async () => {
    await linkHarbour(await ada(), 'ada')
    await linkHarbour(await signIn('dev'), 'dev')
    await linkHarbour(await signIn('eve'), 'eve')
    return true
  })
  await step('hasProducts', async () => {
    const { send } = await ada()
    await addToPassport((path, body) => send('POST', path, body))
    return true
  })
  await step('question', async () => createQuestion(await ada(), done.eveId ?? ''))
  await step('hallId', async () => createOrg(await ada(), 'Harbour Hall'))
  await step('joinUrl', async () => createJoinUrl(await ada(), done.hallId ?? ''))
  await step('hasPurchase', async () => buy(await ada(), surroundings.marketplace, done.hallId ?? ''))
  await step('domain', async () => createDomain(await ada()))
  await step('northlight', async () => connectNorthlight(await ada(), surroundings))
  if (done.northlight) provisionNorthlight(surroundings.entra, done.northlight)
  return done
}

const readUserId = async ({ call }: DemoSession): Promise<string> =>
  (await call<{ claims: { sub: string } }>('GET', '/passport/apphelper/user')).claims.sub

/** Links the person of Harbour ID to a demo user, whom one click then signs in. */
async function linkHarbour({ browser, call }: DemoSession, name: DemoUser): Promise<void> {
  const { authorizationUrl } = await call<{ authorizationUrl: string }>('POST', '/passport/account/logins/link', {
    idp: 'harbour',
  })
  const page = await browser.open(authorizationUrl)
  await browser.submit(page, { name: demoPeople[name] })
}

/** Gives Eve access to a document through a group and a folder, and returns the question why she has it. */
async function createQuestion({ call }: DemoSession, eveId: string): Promise<string> {
  const group = await call<{ id: string }>('POST', '/passport/groups', {
    name: 'Festival crew',
    description: 'Plans the summer festival.',
    members: [eveId],
  })
  const folder = { type: 'folder', id: 'festival' }
  const document = { type: 'document', id: 'festival-budget' }
  const create = (resource: object, relation: string, subject: object) => ({
    operation: 'touch',
    relationship: { resource, relation, subject },
  })
  await call('POST', '/passport/admin/tools/permissions/relationships', {
    updates: [
      create(document, 'folder', folder),
      create(folder, 'viewer', { type: 'passport/group', id: group.id, relation: 'member' }),
    ],
  })
  return new URLSearchParams({
    subject: `passport/user:${eveId}`,
    permission: 'view',
    resource: 'document:festival-budget',
  }).toString()
}

const createOrg = async ({ call }: DemoSession, name: string): Promise<string> =>
  (await call<{ id: string }>('POST', '/passport/admin/orgs', { name })).id

async function createJoinUrl({ call }: DemoSession, targetId: string): Promise<string> {
  return (await call<{ url: string }>('POST', '/passport/joinlinks', { kind: 'org', targetId, maxUses: 40 })).url
}

/** The events of a purchase take a moment: by the queue, and then by the job that applies them. */
const purchaseMs = 30_000
const pollMs = 200

/** Buys a product at AWS, waits until its events have created the subscription, and gives that to an organisation. */
async function buy({ call }: DemoSession, marketplace: RunningAwsMarketplace, orgId: string): Promise<true> {
  const product = stageProducts.find(({ name }) => name === 'Stage Studio')?.code ?? ''
  await marketplace.buy({ product, quantities: { seats: 25, streaming_hours: 100 } })
  const path = '/passport/admin/awssubscriptions'
  for (let waited = 0; waited < purchaseMs; waited += pollMs) {
    const { items } = await call<{ items: { id: string }[] }>('GET', path)
    const [subscription] = items
    if (subscription) {
      await call('POST', `${path}/${subscription.id}/actions/assign`, { orgId })
      return true
    }
    await pause(pollMs)
  }
  throw new Error('The events of a purchase at AWS did not arrive.')
}

async function createDomain(ada: DemoSession): Promise<DemoState['domain']> {
  const orgId = await createOrg(ada, 'Kettle Lane Theatre')
  const path = `/passport/admin/orgs/${orgId}/domains`
  const { dnsName, dnsValue } = await ada.call<{ dnsName: string; dnsValue: string }>('POST', path, {
    domain: 'kettle-lane.example',
  })
  return { orgId, name: dnsName, text: dnsValue }
}

/** Connects the tenant of Northlight as an administrator does: consent, test, sign-in, and a token for provisioning. */
async function connectNorthlight(ada: DemoSession, { passportUrl }: Surroundings): Promise<DemoState['northlight']> {
  const { browser, call } = ada
  const { org, consentUrl } = await call<{ org: { id: string }; consentUrl: string }>(
    'POST',
    '/passport/admin/orgs/entra',
    { tenantId: northlight.id, cloud: 'AzurePublic' },
  )
  await browser.submit(await browser.open(consentUrl), { decision: 'accept' })
  const actions = `/passport/admin/orgs/${org.id}/entra/actions`
  const { url } = await call<{ url: string }>('POST', `${actions}/testsignin`)
  await browser.submit(await browser.open(url), { person: northlight.people[0]?.oid ?? '' })
  await call('POST', `${actions}/enable`)
  const { value } = await call<{ value: string }>('POST', `/passport/admin/orgs/${org.id}/scim/tokens`, {
    name: 'Microsoft Entra',
    expiresInDays: 365,
  })
  return { orgId: org.id, tenantUrl: `${passportUrl}/passport/scim/v2/${org.id}`, token: value }
}

/** Lets Microsoft Entra provision the tenant, at once and from then on. */
function provisionNorthlight(
  { provisioning }: RunningEntra,
  { tenantUrl, token }: NonNullable<DemoState['northlight']>,
) {
  provisioning.configure(northlight.id, { url: tenantUrl, token })
  void provisioning.run(northlight.id).catch(() => {})
}
