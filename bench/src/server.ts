import { createTestBrowser } from '@passport/world/browser'
import type { RunningServer } from '@passport/world/process'

/** Signs `ada` in through the forms and returns the `Cookie` header of the session. */
export async function signIn(url: string, password: string): Promise<string> {
  const browser = createTestBrowser(url)
  await browser.submit(await browser.open('/login'), { name: 'ada', password })
  const session = browser.cookies().find(({ name }) => name === 'passport')
  if (!session) throw new Error('The sign-in returned no session')
  return `${session.name}=${session.value}`
}

/** Stops a server and waits until it has exited. */
export async function stop({ kill, exited }: RunningServer) {
  kill('SIGTERM')
  await exited
}
