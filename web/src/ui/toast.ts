/** A short message at the edge of the window; the defaults are those of the specification, section 9. */
export interface ToastOptions {
  /** One that is given again replaces the one before. */
  id?: string
  type?: 'success' | 'error' | 'warning' | 'info' | 'default'
  content: string
  /** Where the container is, unless told: the app's is at the bottom right. */
  position?: 'top-right' | 'top-center' | 'top-left' | 'bottom-right' | 'bottom-center' | 'bottom-left'
  /** In milliseconds, 5000 unless told; `false` stays until it is closed. */
  timeout?: number | false
  /** What can be done about it, once. */
  action?: { label: string; run: () => void }
}

/** Shows a message. What shows messages is loaded with the first one. */
export async function toast(options: ToastOptions): Promise<void> {
  const { show } = await import('./toaster.tsx')
  show(options)
}
