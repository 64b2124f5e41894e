import { expect, type Page } from '@playwright/test'

/** Opens a page of the console from another one, as links do, and waits for its title: a page load takes far longer. */
export async function navigateInApp(page: Page, path: string) {
  await page.evaluate((path) => {
    // The router sets the title when it has finished, even if the next page has the same title.
    document.title = ''
    history.pushState(null, '', path)
    dispatchEvent(new PopStateEvent('popstate'))
  }, path)
  await expect(page, path).toHaveTitle(/./)
}
