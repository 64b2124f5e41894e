import * as api from '@passport/contract/entra'
import type { ConsentFailure } from '@passport/contract/org-entra'
import { supportCodeOf } from '@passport/contract/support-code'
import type { Sql } from '../database/sql.ts'
import type { Feature, Services } from '../feature.ts'
import { isAdministrator } from '../http/caller.ts'
import type { PageRequest, PageResult } from '../http/page.ts'
import { anonymousLimit } from '../http/rate-limit.ts'
import { Created, WithETag } from '../http/serve.ts'
import { startTest } from '../login/tenant-test.ts'
import { orgNotFound } from '../orgs/problems.ts'
import { readOrg } from '../orgs/read.ts'
import * as orgs from '../orgs/store.ts'
import { Trace } from '../sign-in-traces/trace.ts'
import { receiveConsent } from './consent.ts'
import { consentCallbackPath, createEntraOrg, createLink } from './create.ts'
import { disable, enable } from './enable.ts'
import { renderThanks, renderUnknownLink } from './pages.ts'
import * as problems from './problems.ts'
import { replaceSettings } from './settings.ts'
import * as store from './store.ts'

/** The tenants of Microsoft Entra that belong to organisations: consent, mappings and sign-in. */
export const entra: Feature = ({ serve, page }, services) => {
  const { sql, config } = services
  page('GET', consentCallbackPath, (request) => finishConsent(services, request), {
    rateLimit: anonymousLimit('entra-consent'),
    waitsForOthers: true,
  })

  serve(api.createEntraOrg, async ({ body, ...context }) => {
    const { org, link } = await createEntraOrg(services, body, context)
    return new Created({ org: await readOrg(sql, org), ...link }, `/passport/admin/orgs/${org.id}`, toValidators(org))
  })

  serve(api.getOrgEntra, async ({ params, preconditions }) => {
    const org = await findOrg(sql, params.orgId)
    preconditions.check(toValidators(org))
    const connection = await store.find(sql, org.id)
    if (!connection) throw problems.notLinked()
    return new WithETag(connection, toValidators(org))
  })

  serve(api.createConsentLink, ({ params, ...context }) => createLink(services, params.orgId, context))

  serve(api.putEntra, async ({ params, body, query, ...context }) => {
    await replaceSettings(sql, params.orgId, body, { ...context, ...query })
    return reload(sql, params.orgId)
  })

  serve(api.startEntraTest, ({ params, caller, cookies, visit }) =>
    startTest(services, { orgId: params.orgId, caller, cookies, visit }),
  )

  serve(api.enableEntra, async ({ params, ...context }) => {
    await enable(sql, config, params.orgId, context)
    return reload(sql, params.orgId)
  })

  serve(api.disableEntra, async ({ params, ...context }) => {
    await disable(sql, params.orgId, context)
    return reload(sql, params.orgId)
  })
}

/**
 * Handles the return from a consent page. Only an administrator of this server sees the result: the link is for another
 * company, whose administrator may have no account here.
 */
async function finishConsent(services: Services, { url, caller, visit }: PageRequest): Promise<PageResult> {
  const get = (name: string) => url.searchParams.get(name) ?? ''
  const response = {
    state: get('state'),
    adminConsent: get('admin_consent'),
    tenant: get('tenant'),
    error: get('error'),
    errorDescription: get('error_description'),
  }
  const isByAdministrator = caller !== undefined && isAdministrator(caller)
  const actor = { visit, ...(isByAdministrator && { actorId: caller.id }) }
  const { orgId, failure } = await receiveConsent(services, response, actor)
  const trace = new Trace('tenant-consent', visit).about({ userId: actor.actorId })
  trace.pass('response-received', {
    tenant: response.tenant,
    error: response.error,
    message: response.errorDescription,
  })
  if (failure) trace.fail(toReason(failure), {}, failure.startsWith('state-') ? 'attempt-matched' : 'consent-proved')
  else trace.pass('attempt-matched').pass('consent-proved').succeed()
  services.traces.record(trace)
  if (!isByAdministrator) return renderThanks()
  const support = supportCodeOf(visit.requestId)
  if (orgId === undefined) return renderUnknownLink(support)
  const result = new URLSearchParams(failure ? { consent: 'failed', code: failure, support } : { consent: 'granted' })
  return { redirect: `/app/admin/orgs/${orgId}?${result}` }
}

/** Returns the code of a failure in traces, where the states of sign-ins have their own. */
const toReason = (failure: ConsentFailure) => (failure === 'consent-denied' ? failure : `consent-${failure}`)

async function reload(sql: Sql, id: string) {
  const org = await findOrg(sql, id)
  return new WithETag(await readOrg(sql, org), toValidators(org))
}

async function findOrg(sql: Sql, id: string): Promise<orgs.OrgRow> {
  const org = await orgs.find(sql, id)
  if (!org) throw orgNotFound()
  return org
}

const toValidators = ({ version }: Pick<orgs.OrgRow, 'version'>) => ({ etag: String(version) })
