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

/** Shows a toast. The toast library is loaded with the first one. */
export async function toast(options: ToastOptions): Promise<void> {
  const { show } = await import('./toaster.tsx')
  show(options)
}
