import type { HomeRealmQuestion } from '@passport/contract/home-realm'
import { supportCodeOf } from '@passport/contract/support-code'
import type { TenantDiscovery } from '@passport/contract/tenant-discovery'
import * as audit from '../audit/store.ts'
import type { Config } from '../config.ts'
import type { Sql } from '../database/sql.ts'
import type { TenantAnswer } from '../entra/clouds.ts'
import * as store from './store.ts'
import type { TenantAnswers } from './tenant-answers.ts'

/** The clouds that Microsoft documents, with their authorities. */
const documentedClouds = [
  { id: 'AzurePublic', authority: 'https://login.microsoftonline.com' },
  { id: 'AzureUSGovernment', authority: 'https://login.microsoftonline.us' },
  { id: 'AzureChina', authority: 'https://login.partner.microsoftonline.cn' },
]

const maxFailures = 10

type Result = TenantDiscovery['results'][number]
type PassportSide = TenantDiscovery['passport']

/** Combines the answers of the clouds with what Passport knows about the domain and the tenants. */
export async function describeTenants(
  sql: Sql,
  config: Config,
  question: HomeRealmQuestion,
  { asOf, answers }: TenantAnswers,
): Promise<TenantDiscovery> {
  const { domain } = question
  const owner = await store.find(sql, question)
  const results: Result[] = await Promise.all(
    answers.map((answer) => toResult(sql, answer, domain ? owner : undefined)),
  )
  const missing = documentedClouds.filter(({ id }) => !config.entraClouds.some((cloud) => cloud.id === id))
  return {
    query: domain ?? question.tenantId,
    normalizedDomain: domain ?? null,
    results: [
      ...results,
      ...missing.map(({ id, authority }) => ({
        cloud: id,
        authority,
        configured: false,
        found: null,
        error: 'not_configured',
        elapsedMs: 0,
      })),
    ],
    ambiguous: results.filter(({ found }) => found).length > 1,
    passport: toPassportSide(owner, domain !== undefined && owner !== undefined),
    asOf,
    recentFailures: domain === undefined ? [] : await listFailures(sql, domain),
  }
}

/** Adds Passport's side to the answer of a cloud; `owner` is the organisation that has verified the domain. */
async function toResult(sql: Sql, answer: TenantAnswer, owner: store.HomeRealm | undefined): Promise<Result> {
  if (!answer.found) return { ...answer, configured: true }
  const holder = await store.find(sql, { tenantId: answer.tenantId })
  const isVerified = holder !== undefined && holder.orgId === owner?.orgId
  return { ...answer, configured: true, error: null, passport: toPassportSide(holder, isVerified) }
}

const toPassportSide = (realm: store.HomeRealm | undefined, domainVerified: boolean): PassportSide => ({
  org: realm ? { id: realm.orgId, name: realm.orgName } : null,
  domainVerified,
  consent: realm?.consent ?? 'none',
  signInEnabled: realm?.signInEnabled ?? false,
})

async function listFailures(sql: Sql, domain: string): Promise<TenantDiscovery['recentFailures']> {
  const rows = await audit.listFailuresOfDomain(sql, domain, maxFailures)
  return rows.map(({ supportCode, ...row }) => ({ ...row, supportCode: supportCode && supportCodeOf(supportCode) }))
}
