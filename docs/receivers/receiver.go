package main

import (
	"bytes"
	"compress/gzip"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

const maxBodyBytes = 16 * 1024 * 1024

var timePart = regexp.MustCompile("^t=[0-9]{1,12}$")

func verifies(secret, header string, body []byte) bool {
	parts := strings.Split(header, ",")
	if !timePart.MatchString(parts[0]) {
		return false
	}
	t := parts[0][2:]
	seconds, _ := strconv.ParseInt(t, 10, 64)
	if age := time.Now().Unix() - seconds; age < -300 || age > 300 {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(t + "."))
	mac.Write(body)
	expected := []byte("v1=" + hex.EncodeToString(mac.Sum(nil)))
	return slices.ContainsFunc(parts, func(part string) bool { return hmac.Equal([]byte(part), expected) })
}

// Only of a body that is genuine.
func inflated(request *http.Request, body []byte) ([]byte, error) {
	if request.Header.Get("content-encoding") != "gzip" {
		return body, nil
	}
	text, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(text)
}

func main() {
	secret := os.Getenv("SIGNING_SECRET")
	if secret == "" {
		log.Fatal("SIGNING_SECRET is not set")
	}
	receive := func(response http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(io.LimitReader(request.Body, maxBodyBytes))
		if err != nil || !verifies(secret, request.Header.Get("x-service-signature"), body) {
			response.WriteHeader(http.StatusBadRequest)
			return
		}
		response.WriteHeader(http.StatusNoContent) // store the body before you answer 204
		var webhook struct{ Data struct{ ID string } }
		if body, err = inflated(request, body); err == nil && json.Unmarshal(body, &webhook) == nil {
			fmt.Println("verified", webhook.Data.ID)
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on http://%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, http.HandlerFunc(receive)))
}
