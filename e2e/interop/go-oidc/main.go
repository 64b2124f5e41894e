// A web application with go-oidc and x/oauth2, the libraries inside oauth2-proxy and many others.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync"

	"crypto/rand"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// signIn is the session of the one user of this application.
type signIn struct {
	claims  map[string]any
	idToken string
	token   *oauth2.Token
}

func main() {
	ctx := context.Background()
	home := "http://localhost:" + os.Getenv("PORT") + "/"
	provider, err := oidc.NewProvider(ctx, os.Getenv("ISSUER"))
	if err != nil {
		log.Fatal(err)
	}
	config := oauth2.Config{
		ClientID:     os.Getenv("CLIENT_ID"),
		ClientSecret: os.Getenv("CLIENT_SECRET"),
		Endpoint:     provider.Endpoint(),
		RedirectURL:  home + "callback",
		Scopes:       []string{oidc.ScopeOpenID, "profile", "email"},
	}
	verifier := provider.Verifier(&oidc.Config{ClientID: config.ClientID})
	var metadata struct {
		EndSessionEndpoint string `json:"end_session_endpoint"`
	}
	if err := provider.Claims(&metadata); err != nil {
		log.Fatal(err)
	}

	var mutex sync.Mutex
	var current *signIn
	state := rand.Text()

	handle := func(path string, answer func(w http.ResponseWriter, r *http.Request) error) {
		http.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			mutex.Lock()
			defer mutex.Unlock()
			if err := answer(w, r); err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
			}
		})
	}
	handle("GET /login", func(w http.ResponseWriter, r *http.Request) error {
		http.Redirect(w, r, config.AuthCodeURL(state), http.StatusFound)
		return nil
	})
	handle("GET /callback", func(w http.ResponseWriter, r *http.Request) error {
		if r.FormValue("state") != state {
			return fmt.Errorf("unknown state")
		}
		token, err := config.Exchange(ctx, r.FormValue("code"))
		if err != nil {
			return err
		}
		raw, _ := token.Extra("id_token").(string)
		idToken, err := verifier.Verify(ctx, raw)
		if err != nil {
			return err
		}
		current = &signIn{idToken: raw, token: token}
		if err := idToken.Claims(&current.claims); err != nil {
			return err
		}
		http.Redirect(w, r, "/", http.StatusFound)
		return nil
	})
	handle("GET /me", func(w http.ResponseWriter, r *http.Request) error {
		if current == nil {
			http.Error(w, "{}", http.StatusUnauthorized)
			return nil
		}
		return json.NewEncoder(w).Encode(current.claims)
	})
	handle("GET /userinfo", func(w http.ResponseWriter, r *http.Request) error {
		info, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(current.token))
		if err != nil {
			return err
		}
		claims := map[string]any{}
		if err := info.Claims(&claims); err != nil {
			return err
		}
		return json.NewEncoder(w).Encode(claims)
	})
	handle("GET /refresh", func(w http.ResponseWriter, r *http.Request) error {
		refreshed, err := config.TokenSource(ctx, &oauth2.Token{RefreshToken: current.token.RefreshToken}).Token()
		if err != nil {
			return err
		}
		isNew := refreshed.AccessToken != current.token.AccessToken
		current.token = refreshed
		return json.NewEncoder(w).Encode(map[string]bool{"isNew": isNew})
	})
	handle("GET /logout", func(w http.ResponseWriter, r *http.Request) error {
		query := url.Values{"id_token_hint": {current.idToken}, "post_logout_redirect_uri": {home}}
		current = nil
		http.Redirect(w, r, metadata.EndSessionEndpoint+"?"+query.Encode(), http.StatusFound)
		return nil
	})
	handle("POST /backchannel-logout", func(w http.ResponseWriter, r *http.Request) error {
		token, err := verifier.VerifyLogout(ctx, r.FormValue("logout_token"))
		if err != nil {
			return err
		}
		if current != nil && token.Subject == current.claims["sub"] {
			current = nil
		}
		return nil
	})
	handle("GET /{$}", func(w http.ResponseWriter, r *http.Request) error {
		_, err := fmt.Fprint(w, "home")
		return err
	})

	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening")
	log.Fatal(http.Serve(listener, nil))
}
