import { toast } from './toast.ts'

/** Copies a text and returns whether it succeeded; a toast reports a refusal by the browser. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    void toast({ id: 'copied', type: 'error', content: "Couldn't copy: allow clipboard access in your browser" })
    return false
  }
}
