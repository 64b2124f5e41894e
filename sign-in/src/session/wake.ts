/** Calls back whenever the page may have missed the time: it is seen again, restored, or the network is back. */
export function onWake(wake: () => void): () => void {
  const seen = () => document.visibilityState === 'visible' && wake()
  document.addEventListener('visibilitychange', seen)
  window.addEventListener('pageshow', wake)
  window.addEventListener('online', wake)
  return () => {
    document.removeEventListener('visibilitychange', seen)
    window.removeEventListener('pageshow', wake)
    window.removeEventListener('online', wake)
  }
}
