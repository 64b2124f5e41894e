import * as api from '@passport/contract/marketplace'
import type { Feature } from '../feature.ts'
import { land } from './land.ts'
import { renderLandingPage } from './landing-page.ts'
import { listRegistrations } from './registrations.ts'

const setUpPath = '/app/account/marketplace'

/** The way of a buyer from AWS Marketplace to a subscription. */
export const serveRegistrations: Feature = ({ serve, page }, services) => {
  const { config } = services

  serve(api.registerAwsBuyer, ({ body, headers, cookies }) => land(services, body, { headers, cookies }), {
    onSuccess: ({ registrationId }) => `${setUpPath}?registration=${registrationId}`,
    onFailure: ({ code }) => `${setUpPath}/error?code=${code}`,
  })

  page('GET', api.landingPath, () => renderLandingPage(config.brandName), { besideEndpoint: true })

  serve(api.listAwsRegistrations, ({ cookies }) => listRegistrations(services, cookies))
}
