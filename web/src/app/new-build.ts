const flag = 'passport.reloaded-for'

/**
 * A page that was open while a new version was installed asks for files that are gone: it is loaded anew, once for
 * each page, so that something that is really missing does not go round for ever.
 */
export function reloadOnceForNewBuild(): void {
  addEventListener('vite:preloadError', (event) => {
    if (sessionStorage.getItem(flag) === location.href) return
    sessionStorage.setItem(flag, location.href)
    event.preventDefault()
    location.reload()
  })
}
