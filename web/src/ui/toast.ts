/** A toast at the edge of the window; the defaults follow section 9 of the specification. */
export interface ToastOptions {
  /** A new toast replaces an earlier one with the same id. */
  id?: string
  type?: 'success' | 'error' | 'warning' | 'info' | 'default'
  content: string
  /** The position of the container; bottom right by default. */
  position?: 'top-right' | 'top-center' | 'top-left' | 'bottom-right' | 'bottom-center' | 'bottom-left'
  /** In milliseconds, 5000 by default; `false` keeps it until closed. */
  timeout?: number | false
  /** An action that can be run once. */
  action?: { label: string; run: () => void }
}

/** Shows a toast. If the toast library cannot be loaded, a plain element shows the same content. */
export async function toast(options: ToastOptions): Promise<void> {
  const show = await loadToaster().then(
    (toaster) => toaster.show,
    () => showPlain,
  )
  show(options)
}

const loadToaster = () => import('./toaster.tsx')

/** Loads the library with the first key or click, so that a later toast needs no connection. */
export function preloadToaster(): void {
  const load = () => void loadToaster().catch(() => {})
  for (const event of ['pointerdown', 'keydown']) addEventListener(event, load, { once: true })
}

function showPlain({ type, content, timeout = 5000, action }: ToastOptions) {
  const element = document.createElement('div')
  element.className = 'pop fixed right-4 bottom-4 z-50 flex max-w-80 items-center gap-3 p-4'
  element.role = type === 'error' ? 'alert' : 'status'
  element.append(content)
  const addButton = (label: string, run?: () => void) => {
    const button = document.createElement('button')
    button.className = 'btn btn-small'
    button.append(label)
    button.onclick = () => {
      element.remove()
      run?.()
    }
    element.append(button)
  }
  if (action) addButton(action.label, action.run)
  addButton('Close')
  document.body.append(element)
  if (timeout !== false) setTimeout(() => element.remove(), timeout)
}
