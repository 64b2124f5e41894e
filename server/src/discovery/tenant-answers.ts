import type { HomeRealmQuestion } from '@passport/contract/home-realm'
import { findTenants, type TenantAnswer } from '../entra/clouds.ts'
import type { Services } from '../feature.ts'

const maxAgeMs = 10 * 60_000
const maxEntries = 1000

/** The answers of all configured clouds to a question, and when the clouds were asked. */
export interface TenantAnswers {
  asOf: string
  answers: TenantAnswer[]
}

/** Returns the answers of the clouds, which can be 10 minutes old unless `refresh` is set. */
export type AskClouds = (question: HomeRealmQuestion, options: { refresh: boolean }) => Promise<TenantAnswers>

/** Creates a function that asks the clouds and remembers their answers, also for concurrent calls. */
export function createAskClouds(services: Pick<Services, 'config' | 'httpClient'>): AskClouds {
  const cache = new Map<string, { askedAt: number; answers: Promise<TenantAnswer[]> }>()
  return async ({ domain, tenantId }, { refresh }) => {
    const subject = domain ?? tenantId
    const known = cache.get(subject)
    const isFresh = known && !refresh && Date.now() - known.askedAt < maxAgeMs
    const { askedAt, answers } = isFresh ? known : { askedAt: Date.now(), answers: findTenants(services, subject) }
    if (!isFresh) {
      if (cache.size >= maxEntries) cache.clear()
      cache.set(subject, { askedAt, answers })
    }
    return { asOf: new Date(askedAt).toISOString(), answers: await answers }
  }
}
