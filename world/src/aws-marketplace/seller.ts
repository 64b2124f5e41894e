import { randomBytes } from 'node:crypto'
import { requestToken, type ServiceClient } from '../client-token.ts'
import { addToPassport } from './stage-products.ts'

/** The client with which the demo world creates its products in Passport. It is an administrator, so its secret is random. */
export const seller: ServiceClient = {
  clientId: 'seller',
  clientName: 'Seller',
  clientSecret: randomBytes(32).toString('base64url'),
  scopes: ['passport.admin'],
}

/** Creates the products of the demo world in Passport, once it responds. Rejects when `signal` aborts. */
export async function addProducts(passportUrl: string, signal: AbortSignal): Promise<void> {
  const headers = {
    authorization: `Bearer ${await requestToken(passportUrl, seller, signal)}`,
    'content-type': 'application/json',
  }
  await addToPassport((path, body) =>
    fetch(passportUrl + path, { method: 'POST', headers, body: JSON.stringify(body), signal }),
  )
}
