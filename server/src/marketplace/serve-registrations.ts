import * as api from '@passport/contract/marketplace'
import type { Feature } from '../feature.ts'
import { Pending } from '../http/serve.ts'
import * as buyers from './buyer-store.ts'
import { land } from './land.ts'
import { renderLandingPage } from './landing-page.ts'
import { redeem } from './redeem.ts'
import { listRegistrations, maskAccountId, validateBuyer } from './registrations.ts'

const setUpPath = '/app/account/marketplace'

/** The way of a buyer from AWS Marketplace to a subscription. */
export const serveRegistrations: Feature = ({ serve, page }, services) => {
  const { branding, sql } = services

  serve(api.registerAwsBuyer, ({ body, headers, cookies }) => land(services, body, { headers, cookies }), {
    onSuccess: ({ registrationId }) => `${setUpPath}?registration=${registrationId}`,
    onFailure: ({ code }) => `${setUpPath}/error?code=${code}`,
  })

  page('GET', api.landingPath, () => renderLandingPage(branding.current().name), { besideEndpoint: true })

  serve(api.listAwsRegistrations, ({ cookies }) => listRegistrations(services, cookies))

  serve(api.validateAwsBuyer, ({ body, caller, cookies }) =>
    validateBuyer(services, body.registrationId, { caller, cookies }),
  )

  serve(api.redeemAwsRegistration, async ({ body, caller, cookies, visit }) => {
    const redemption = await redeem(services, body, { caller, cookies, visit })
    return redemption.status === 'pending' ? new Pending(redemption) : redemption
  })

  serve(api.listOwnSubscriptions, async ({ caller }) => {
    const managed = caller.orgs.filter(({ role }) => role !== 'member').map(({ id }) => id)
    return (await buyers.listOfOrgs(sql, managed)).map(
      ({ productId, productName, orgId, orgName, lastFour, ...subscription }) => ({
        ...subscription,
        product: { id: productId, name: productName },
        org: { id: orgId, name: orgName },
        customerAwsAccountId: maskAccountId(lastFour),
      }),
    )
  })
}
