import type { Page } from '@playwright/test'

/** The time after which a page that does not appear fails its test. */
const maxMs = 20_000

/** Opens a page of the console from another one, as links do, and waits for its title: a page load takes far longer. */
export async function navigateInApp(page: Page, path: string) {
  await page.evaluate(
    async ({ path, maxMs }) => {
      // The router sets the title when it has finished, even if the next page has the same title.
      document.title = ''
      history.pushState(null, '', path)
      dispatchEvent(new PopStateEvent('popstate'))
      // In the page: the runner would look only every 100 ms.
      for (const end = Date.now() + maxMs; document.title === ''; await new Promise(requestAnimationFrame))
        if (Date.now() > end) throw new Error(`${path} has no title`)
    },
    { path, maxMs },
  )
}

/** What a page shows once its data has loaded. */
interface Shown {
  title?: string | RegExp
  text?: string | RegExp
}

/**
 * Waits until the page has its title, a heading, a text, and nothing that is loading. It looks at every frame, in the page:
 * four expectations of the runner would wait 100 ms and more each. Returns after the limit too; the expectations that
 * follow say what is missing.
 */
export async function waitUntilShown(page: Page, { title, text }: Shown) {
  const toPattern = (expected: string | RegExp | undefined, isWhole: boolean) => {
    if (expected === undefined) return undefined
    if (expected instanceof RegExp) return { source: expected.source, flags: expected.flags }
    const escaped = expected.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
    return isWhole ? { source: `^${escaped}$`, flags: '' } : { source: escaped, flags: 'i' }
  }
  await page
    .evaluate(
      async ({ title, text, maxMs }) => {
        const matches = (value: string, pattern: { source: string; flags: string } | undefined) =>
          pattern === undefined || new RegExp(pattern.source, pattern.flags).test(value)
        const isShown = () =>
          matches(document.title, title) &&
          document.querySelector('h1') !== null &&
          document.querySelector('[aria-busy=true]') === null &&
          (text === undefined || matches(document.body.innerText, { ...text, flags: `${text.flags}m` }))
        for (const end = Date.now() + maxMs; !isShown() && Date.now() < end; )
          await new Promise((resolve) => setTimeout(resolve, 16))
      },
      { title: toPattern(title, true), text: toPattern(text, false), maxMs },
    )
    // A page that leads to another one ends the script.
    .catch(() => undefined)
}
