import os
import secrets

from authlib.integrations.flask_client import OAuth
from flask import Flask, jsonify, redirect, session, url_for

app = Flask(__name__)
app.secret_key = secrets.token_hex()
oauth = OAuth(app)
passport = oauth.register(
    "passport",
    client_id=os.environ["CLIENT_ID"],
    client_secret=os.environ["CLIENT_SECRET"],
    server_metadata_url=os.environ["ISSUER"] + "/.well-known/openid-configuration",
    client_kwargs={"scope": "openid profile email"},
)
# Tokens are too large for the cookie that Flask keeps sessions in.
tokens = {}


@app.get("/login")
def login():
    return passport.authorize_redirect(url_for("callback", _external=True))


@app.get("/callback")
def callback():
    token = passport.authorize_access_token()
    session["id"] = secrets.token_hex()
    tokens[session["id"]] = token
    return redirect("/")


@app.get("/me")
def me():
    token = tokens.get(session.get("id"))
    return jsonify(token["userinfo"]) if token else (jsonify({}), 401)


@app.get("/userinfo")
def userinfo():
    return jsonify(passport.userinfo(token=tokens[session["id"]]))


@app.get("/refresh")
def refresh():
    token = tokens[session["id"]]
    metadata = passport.load_server_metadata()
    with passport._get_oauth_client(**metadata) as client:
        refreshed = client.refresh_token(
            metadata["token_endpoint"], refresh_token=token["refresh_token"]
        )
    is_new = refreshed["access_token"] != token["access_token"]
    tokens[session["id"]] = {**token, **refreshed}
    return jsonify(isNew=is_new)


@app.get("/logout")
def logout():
    token = tokens.pop(session.pop("id"))
    return passport.logout_redirect(
        post_logout_redirect_uri=url_for("home", _external=True),
        id_token_hint=token["id_token"],
    )


@app.get("/")
def home():
    return "home"


if __name__ == "__main__":
    app.config["SERVER_NAME"] = "localhost:" + os.environ["PORT"]
    app.run("127.0.0.1", int(os.environ["PORT"]))
