import { type Call, createApiCall } from '@passport/contract/call'
import type { TestBrowser } from '@passport/world/browser'

/** Returns a `Call` that sends its requests from a browser, with the cookies of the browser. */
export const createBrowserCall = (url: string, browser: TestBrowser): Call =>
  createApiCall(url, async (request) =>
    browser.send(request.url, {
      method: request.method,
      headers: Object.fromEntries(request.headers),
      ...(request.method !== 'GET' && { body: await request.text() }),
    }),
  )
