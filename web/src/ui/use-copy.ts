import { useEffect, useState } from 'react'
import { copyText } from './copy.ts'

/** Returns a function that copies a text, and whether it was copied in the last two seconds. */
export function useCopy(text: string): { isCopied: boolean; copy: () => Promise<void> } {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), 2000)
    return () => clearTimeout(timer)
  }, [isCopied])
  return { isCopied, copy: async () => setCopied(await copyText(text)) }
}
