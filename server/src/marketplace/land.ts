import type { IncomingHttpHeaders } from 'node:http'
import type { AwsRegistration, LandingForm } from '@passport/contract/marketplace'
import { v7 as uuid } from 'uuid'
import { transaction } from '../database/sql.ts'
import type { Services } from '../feature.ts'
import type { Cookies } from '../http/cookies.ts'
import { isTopLevelNavigation } from '../http/navigation.ts'
import { generateToken, hashToken } from '../vault.ts'
import { licenseKeyOf, resolveCustomer } from './aws.ts'
import { type LandingClaims, readLandingForm } from './landing-form.ts'
import * as problems from './problems.ts'
import * as products from './product-store.ts'
import { addHandle, readHandles, registrationHours } from './registration-cookie.ts'
import * as store from './registration-store.ts'
import { toRegistration } from './registrations.ts'
import { findOrCreateSubscription } from './subscriptions.ts'

type LandingServices = Pick<Services, 'config' | 'sql' | 'http' | 'log'>

/** The number of browsers that can come with one token. */
const maxBrowsers = 5

/**
 * Registers the buyer whose browser posted this form. Only a navigation of a whole tab gets a cookie: a form in a frame
 * of another site must leave no trace. Throws 400, 409, 410, 429, 502 and 503.
 */
export async function land(
  services: LandingServices,
  form: LandingForm,
  { headers, cookies }: { headers: IncomingHttpHeaders; cookies: Cookies },
): Promise<AwsRegistration> {
  const { config, sql, http } = services
  const claims = readLandingForm(form)
  if (!config.awsMarketplace) throw problems.notConfigured(undefined)
  const registration =
    (await store.findByToken(sql, hashToken(claims.token))) ?? (await resolveRegistration(services, claims))
  if (!registration.isProductEnabled) throw problems.productUnknown()
  if (!isTopLevelNavigation(headers)) return toRegistration(registration)
  const handle = generateToken()
  const sentHashes = readHandles(cookies, http).map(hashToken)
  const isNewBrowser = await transaction(sql, async (sql) => {
    await store.lock(sql, registration.id)
    const known = await store.listByHandles(sql, sentHashes)
    if (known.some(({ id }) => id === registration.id)) return false
    if ((await store.countHandles(sql, registration.id)) >= maxBrowsers) throw problems.tokenOverused()
    await store.addHandle(sql, registration.id, hashToken(handle))
    return true
  })
  if (isNewBrowser) addHandle(cookies, http, handle)
  return toRegistration(registration)
}

/** Resolves the token with AWS at once, since it expires there. The form's claims about the buyer are not trusted. */
async function resolveRegistration(
  services: LandingServices,
  { token, offerType, hints }: LandingClaims,
): Promise<store.RegistrationRow> {
  const { sql } = services
  const { productCode, accountId, customerIdentifier, licenseArn } = await resolveCustomer(services, token)
  const licenseKey = licenseArn === null ? null : licenseKeyOf(licenseArn)
  if (licenseKey === null && customerIdentifier === null)
    throw problems.unavailable(new Error('ResolveCustomer returned neither a license nor a customer identifier'))
  const product = await products.findByCode(sql, productCode)
  if (!product?.enabled) throw problems.productUnknown()
  const tokenHash = hashToken(token)
  const expiresAt = new Date(Date.now() + registrationHours * 60 * 60 * 1000).toISOString()
  return transaction(sql, async (sql) => {
    const license = { licenseKey, licenseArn, customerIdentifier }
    const isTrialOffer = offerType === 'free-trial'
    const subscription = { product, accountId, ...license, source: 'landing' as const, isTrialOffer }
    const { id: subscriptionId } = await findOrCreateSubscription(sql, subscription)
    const buyer = { customerAwsAccountId: accountId, ...license, subscriptionId }
    await store.add(sql, { id: uuid(), tokenHash, productId: product.id, ...buyer, offerType, hints }, expiresAt)
    const added = await store.findByToken(sql, tokenHash)
    if (!added) throw problems.tokenExpired(undefined)
    return added
  })
}
