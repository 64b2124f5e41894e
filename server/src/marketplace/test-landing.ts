import { createAwsProduct } from '@passport/contract/aws-products'
import { type Call, createApiCall } from '@passport/contract/call'
import { landingPath } from '@passport/contract/marketplace'
import type { SellerProduct } from '@passport/world/aws-marketplace/aws-marketplace'
import { post } from '../http/test-post.ts'
import type { TestService, Visitor } from '../test-service.ts'

/** Adds the products of a seller in AWS Marketplace, without entitlements. */
export async function addProducts(service: TestService, products: SellerProduct[]): Promise<void> {
  const ada = await service.as('ada')
  for (const { code, id, name, pricingModel, dimensions } of products)
    await ada.call(createAwsProduct, {
      body: {
        name,
        productCode: code,
        productId: id,
        pricingModel,
        dimensions: dimensions.map(({ key, kind }) => ({ key, kind })),
        supportEmail: 'support@stage.example',
      },
    })
}

/** The browser of a buyer, which keeps cookies. */
export class BuyerBrowser {
  cookie = ''
  readonly call: Call
  readonly #url: string
  readonly #host: string | undefined

  constructor({ url }: TestService, host?: string) {
    this.#url = url
    this.#host = host
    this.call = createApiCall(url, (request) => this.send(request))
  }

  /** Sends a request of one of our own pages. */
  async send(request: Request): Promise<Response> {
    request.headers.set('cookie', this.cookie)
    if (!request.headers.has('sec-fetch-site')) request.headers.set('sec-fetch-site', 'same-origin')
    return this.#keepCookies(await fetch(request))
  }

  /** Signs in a user of the service, with the cookies that this browser has already. */
  signIn(visitor: Visitor): this {
    const [name = '', value = ''] = visitor.cookie.split('=', 2)
    this.#store(name, value)
    return this
  }

  /** Submits the form of AWS. A browser sends no SameSite=Lax cookies with the form of another site. */
  async land(fields: Record<string, string>, { isCrossSite = true } = {}): Promise<Response> {
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
      'sec-fetch-site': isCrossSite ? 'cross-site' : 'same-site',
      ...(this.#host && { host: this.#host }),
      ...(!isCrossSite && { cookie: this.cookie }),
    }
    const body = new URLSearchParams(fields).toString()
    return this.#keepCookies(await post(this.#url + landingPath, body, headers))
  }

  #keepCookies(response: Response): Response {
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=', 2)
      this.#store(name, value)
    }
    return response
  }

  #store(name: string, value: string) {
    const others = this.cookie.split('; ').filter((pair) => pair !== '' && !pair.startsWith(`${name}=`))
    this.cookie = [...others, `${name}=${value}`].join('; ')
  }
}
