import { createAbortablePromise } from '../abortable-promise.ts'
import { signinError } from '../errors.ts'

/** Opens a URL in a hidden frame and resolves with the response URL; rejects after `timeoutMs`. */
export function requestInFrame(url: string, timeoutMs: number, signal?: AbortSignal): Promise<string> {
  return createAbortablePromise<string>(signal, ({ resolve, reject }) => {
    const frame = createHiddenFrame(url)
    const receive = ({ origin, source, data }: MessageEvent) => {
      const isFromFrame = origin === location.origin && source === frame.contentWindow
      if (isFromFrame && isSameOriginUrl(data)) resolve(data)
    }
    const timeout = setTimeout(() => reject(signinError('frame_timeout')), timeoutMs)
    window.addEventListener('message', receive)
    return () => {
      clearTimeout(timeout)
      window.removeEventListener('message', receive)
      frame.remove()
    }
  })
}

/** Adds an invisible frame to the page. */
export function createHiddenFrame(url: string): HTMLIFrameElement {
  const frame = document.createElement('iframe')
  frame.hidden = true
  frame.style.display = 'none'
  frame.ariaHidden = 'true'
  // The provider may allow its session check only to pages of known origins, whatever policy the page has.
  frame.referrerPolicy = 'origin'
  frame.src = url
  document.body.append(frame)
  return frame
}

/** Forwards the frame's URL to the parent page, if that has the same origin. */
export function forwardToParent(responseUrl: string): void {
  window.parent.postMessage(responseUrl, location.origin)
}

/** Reports whether the data is a response URL forwarded by a callback page. */
export function isSameOriginUrl(data: unknown): data is string {
  return typeof data === 'string' && /^https?:\/\//.test(data) && URL.parse(data)?.origin === location.origin
}
