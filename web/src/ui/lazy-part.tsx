import { type ComponentType, createElement, type ReactNode, useEffect, useReducer, useState } from 'react'
import { ErrorCard } from './ErrorCard.tsx'
import { hasUnsavedChanges } from './unsaved-changes.ts'

interface LazyPart<Props> {
  (props: Props): ReactNode
  /** Loads the code, again after a failure; never rejects. */
  preload: () => Promise<void> | undefined
}

/**
 * Returns a component whose code is loaded on demand. If that fails, an error with “Try again” replaces the component,
 * and the rest of the page stays with its input. Unlike React's `lazy`, which keeps a failure for ever.
 *
 *     const Editor = lazyPart(async () => (await import('./Editor.tsx')).Editor)
 */
export const lazyPart = <Props extends object>(load: () => Promise<ComponentType<Props>>): LazyPart<Props> =>
  createPart(load, false)

/**
 * Returns a page whose code is loaded on demand, like `lazyPart`. After an update the server no longer has the files of
 * the previous build, so an opened page that is missing reloads the document, once.
 */
export const lazyPage = (load: () => Promise<ComponentType>): LazyPart<object> => createPart(load, true)

function createPart<Props extends object>(load: () => Promise<ComponentType<Props>>, isPage: boolean): LazyPart<Props> {
  let component: ComponentType<Props> | undefined
  let failure: { error: unknown } | undefined
  let loading: Promise<void> | undefined

  function preload() {
    if (component) return undefined
    failure = undefined
    loading ??= load()
      .then(
        (loaded) => {
          component = loaded
        },
        (error: unknown) => {
          failure = { error }
        },
      )
      .finally(() => {
        loading = undefined
      })
    return loading
  }

  function Part(props: Props) {
    const [, render] = useReducer((count: number) => count + 1, 0)
    if (component) return createElement(component, props)
    if (failure) {
      const retry = async () => {
        await preload()
        if (component) render()
        return component !== undefined
      }
      return <PartFailed error={failure.error} isPage={isPage} onRetry={retry} />
    }
    // Suspends, like React's `lazy`.
    throw loading ?? preload()
  }
  Part.preload = preload
  return Part
}

interface PartFailedProps {
  error: unknown
  isPage: boolean
  /** Loads the code again; resolves with whether that succeeded. */
  onRetry: () => Promise<boolean>
}

/** The reason for not reloading the document. */
type Obstacle = 'no answer' | 'unsaved changes' | 'was reloaded before'

const remedies: Record<Obstacle, string> = {
  'no answer': 'Check your connection and try again.',
  'unsaved changes': 'Save or discard your changes, then reload the page.',
  'was reloaded before': 'Try again later.',
}

function PartFailed({ error, isPage, onRetry }: PartFailedProps) {
  const [obstacle, setObstacle] = useState<Obstacle | undefined>(isPage ? undefined : 'no answer')
  useEffect(() => {
    if (isPage) void reloadIfServed(error, false).then(setObstacle)
  }, [error, isPage])
  // Until it is known whether the page reloads.
  if (!obstacle) return <div aria-busy="true" />
  async function retry() {
    if (!(await onRetry())) setObstacle(await reloadIfServed(error, true))
  }
  const title = `Couldn't load this ${isPage ? 'page' : 'part of the page'}`
  return (
    <>
      {isPage && <h1 className="sr-only">Page not loaded</h1>}
      <ErrorCard failure={{ title, detail: remedies[obstacle] }} onRetry={() => void retry()} />
    </>
  )
}

const reloadedKey = 'passport.reloaded-for'
const probeTimeoutMs = 5000

/**
 * Reloads the document if that can help: the server has the file again, but browsers remember the failed import; or the
 * server answers 404, since an update replaced the file. Unless the user asked, only once for each file, as a file may
 * really be missing. Never reloads with unsaved changes, or while the server does not respond. Returns the obstacle, if any.
 */
async function reloadIfServed(error: unknown, isAsked: boolean): Promise<Obstacle | undefined> {
  const url = findUrl(error)
  const status = await fetchStatus(url)
  if (status !== 200 && status !== 404) return 'no answer'
  if (hasUnsavedChanges()) return 'unsaved changes'
  if (!isAsked && !isFirstReload(url)) return 'was reloaded before'
  location.reload()
  return undefined
}

/** Returns the URL of the file, which most browsers name in the error; otherwise that of the app's first script. */
const findUrl = (error: unknown) =>
  /https?:\S+/.exec(String(error))?.[0] ??
  document.querySelector<HTMLScriptElement>('script[type=module]')?.src ??
  location.href

async function fetchStatus(url: string): Promise<number | undefined> {
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), probeTimeoutMs)
  try {
    return (await fetch(url, { method: 'HEAD', cache: 'no-store', signal: limit.signal })).status
  } catch {
    return undefined
  } finally {
    clearTimeout(timer)
  }
}

/** Records the reload for a file, and reports whether it is the first. False with blocked storage, which could not prevent a loop. */
function isFirstReload(url: string): boolean {
  try {
    if (sessionStorage.getItem(reloadedKey) === url) return false
    sessionStorage.setItem(reloadedKey, url)
    return true
  } catch {
    return false
  }
}
