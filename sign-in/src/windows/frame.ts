import { signinError } from '../errors.ts'
import { oneOutcome } from '../outcome.ts'

/** Opens an address in a hidden frame and waits for the address that it comes back with; no longer than `timeoutMs`. */
export function frameResponse(url: string, timeoutMs: number, signal?: AbortSignal): Promise<string> {
  return oneOutcome<string>(signal, ({ succeed, fail }) => {
    const frame = hiddenFrame(url)
    const receive = ({ origin, source, data }: MessageEvent) => {
      const isFromFrame = origin === location.origin && source === frame.contentWindow
      if (isFromFrame && isOwnAddress(data)) succeed(data)
    }
    const limit = setTimeout(() => fail(signinError('frame_timeout')), timeoutMs)
    window.addEventListener('message', receive)
    return () => {
      clearTimeout(limit)
      window.removeEventListener('message', receive)
      frame.remove()
    }
  })
}

/** Puts a frame that nobody sees into the page. */
export function hiddenFrame(url: string): HTMLIFrameElement {
  const frame = document.createElement('iframe')
  frame.hidden = true
  frame.style.display = 'none'
  frame.ariaHidden = 'true'
  frame.src = url
  document.body.append(frame)
  return frame
}

/** Called in the frame: passes its address to the page around it, if that is of the same origin. */
export function answerParent(address: string): void {
  window.parent.postMessage(address, location.origin)
}

/** Whether it is what a page that an answer arrives on passes on. */
export function isOwnAddress(data: unknown): data is string {
  return typeof data === 'string' && /^https?:\/\//.test(data) && URL.parse(data)?.origin === location.origin
}
