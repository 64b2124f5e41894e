import { toast } from './toast.ts'

/** Copies a text; says so where the browser does not allow it, and tells whether it did. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    void toast({ id: 'copied', type: 'error', content: 'This browser does not allow copying here' })
    return false
  }
}
